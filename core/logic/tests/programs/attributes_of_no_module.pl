% Attributes of constraints are not shown, and what a module that is there inherits of that hides its attributes; an
% attribute whose module nothing defines is shown as it is. (In a session of SWI-Prolog that holds for the first answer
% that shows one of the module: the module is there then.)
:- use_module(library(chr)).
:- chr_constraint item(?).
colour:attr_unify_hook(_, _).
marked(X, M, A) :- put_attr(X, M, A).

%? marked(X, a, 1)
%= put_attr(X, a, 1)
%? marked(X, b, f(Y)), Z = g(X)
%= Z = g(X)
%= put_attr(X, b, f(Y))
%? item(X), marked(Y, c, 1)
%= item(X)
%= put_attr(Y, c, 1)
%? marked(X, colour, red)
%= true
%? marked(X, e, 1), copy_term(X, Y, G), del_attr(X, e)
%= G = [put_attr(Y, e, 1)]
%? marked(X, f, 1), freeze(X, true)
%= put_attr(X, f, 1)
%= freeze(X, true)
