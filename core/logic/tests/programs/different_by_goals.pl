% Terms are different where goals of their variables, or constraints, keep them from being equal.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint never/2, is/1, kind/2.

never(X, Y) <=> nonvar(X), X == Y | fail.
kind(X, K) <=> (X \= a -> K = other ; K = may_be_a).
is(X) <=> X \= a | true.

differ(X, Y) :- X \= Y.

%? never(X, a), X \= a
%= never(X, a)
%? never(X, a), differ(X, a), \+ differ(X, b)
%= never(X, a)
%? never(X, a), kind(X, K), kind(Y, L)
%= K = other
%= L = may_be_a
%= never(X, a)
%? never(X, a), call(\=, X, a), call(\=(X), a), \+ \+ call((X \= a, \+ X \= b))
%= never(X, a)
%? never(X, a), maplist(\=(X), [a, a])
%= never(X, a)
%? never(X, a), maplist(\=(X), [a, b])
%= the derivation failed
%? dif(X, a), X \= a, \+ X \= b, ( f(X) \= f(a) -> Y = yes ; Y = no )
%= Y = yes
%= dif(X, a)
%? freeze(X, fail), X \= b
%= freeze(X, fail)
%? freeze(X, throw(woken)), catch(X \= b, E, true)
%= E = woken
%= freeze(X, throw(woken))
%? X in 1..3, forall(member(Y, [4, 5]), X \= Y), \+ X \= 2
%= X in 1..3
%? is(X), never(Y, a), is(Y)
%= never(Y, a)
