% Clauses are told apart by later arguments too, also while they change.
:- dynamic link/3.
turn(X, left, X-l).
turn(X, right, X-r).
kind(_, _, f(_), one).
kind(_, _, [_|_], two).
kind(_, _, 3, three).
last_of([X], X).
last_of([_|T], X) :- last_of(T, X).
links(N) :- retractall(link(_, _, _)), forall(between(1, N, I), ( J is I mod 7, assertz(link(I, J, a)) )).

%? turn(a, right, X), kind(_, _, [a], K), kind(_, _, f(b), L), findall(M, kind(x, y, _, M), Ms)
%= X = a-r
%= K = two
%= L = one
%= Ms = [one, two, three]
%? findall(X, turn(x, _, X), L)
%= L = [x-l, x-r]
%? links(50), findall(I, link(I, 3, _), L), link(17, K, _)
%= L = [3, 10, 17, 24, 31, 38, 45]
%= K = 3
%? links(30), assertz(link(_, _, z)), asserta(link(0, 3, b)), findall(X, link(_, 3, X), L), retract(link(10, 3, _)), retract(link(0, 3, _)), findall(X, link(_, 3, X), M)
%= L = [b, a, a, a, a, z]
%= M = [a, a, a, z]
%? links(20), link(5, J, _), assertz(link(5, new, a)), findall(K, link(5, K, _), L)
%= J = 5
%= L = [5, new]
%? links(20), findall(I, ( link(I, 2, _), I < 10, retract(link(I, _, _)), J is I+100, assertz(link(J, 2, c)) ), L), findall(I, link(I, 2, _), M)
%= L = [2, 9]
%= M = [16, 102, 109]
%? last_of([1, 2, 3], X)
%= X = 3
