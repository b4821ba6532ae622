% Goals that answers show of a program's attributes: the module in which queries are read goes without saying.
:- use_module(library(chr)).
:- chr_constraint item(?).
keeps(X, K) :- put_attr(X, user, K).
attr_unify_hook(_, _).
attribute_goals(X) --> { get_attr(X, user, K) }, [user:kept(X, K), other:seen(K), plain(X)].
kept(_, _).
plain(_).
%? keeps(X, 1)
%= kept(X, 1)
%= other:seen(1)
%= plain(X)
%? keeps(X, f(Y)), freeze(Y, true), item(X)
%= item(X)
%= kept(X, f(Y))
%= other:seen(f(Y))
%= plain(X)
%= freeze(Y, true)
%? keeps(X, 1), copy_term(X, Y, G), del_attr(X, user)
%= G = [user:kept(Y, 1), other:seen(1), plain(Y)]
