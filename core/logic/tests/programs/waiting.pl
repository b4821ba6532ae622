% Goals that wait and constraints share variables.
:- use_module(library(chr)).
:- chr_constraint need(?any, ?any).
need(X, Y) <=> ground(X) | Y = got(X).

%? freeze(Y, Y = got(V)), need(X, Y), X = 1
%= Y = got(1)
%= V = X
%= X = 1
%? need(X, Y), when(nonvar(Y), Z = yes), X = a
%= X = a
%= Y = got(a)
%= Z = yes
%? need(X, Y), dif(X, a), \+ X = a
%= need(X, Y)
%= dif(X, a)
