% Predicates with tables: left recursion, mutual recursion, answers joined by modes.
:- use_module(library(chr)).
:- chr_constraint seen(?any).
:- table path/2, fib/2, even/1, odd/1.
:- table dist(_, _, min), longest(_, lattice(longer/3)).

edge(a, b). edge(b, c). edge(c, a). edge(c, d).
path(X, Y) :- path(X, Z), edge(Z, Y).
path(X, Y) :- edge(X, Y).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N-1, B is N-2, fib(A, FA), fib(B, FB), F is FA+FB.
even(0).
even(N) :- N > 0, M is N-1, odd(M).
odd(N) :- N > 0, M is N-1, even(M).
dist(X, Y, 1) :- edge(X, Y).
dist(X, Y, D) :- dist(X, Z, E), edge(Z, Y), D is E+1.
longest(X, [X, Y]) :- edge(X, Y).
longest(X, [X|P]) :- edge(X, Y), Y \== a, longest(Y, P).
longer(A, B, C) :- length(A, M), length(B, N), ( M >= N -> C = A ; C = B ).
distances(X, L) :- findall(Y-D, dist(X, Y, D), L0), sort(L0, L).
all(X, L) :- findall(Y, path(X, Y), L0), sort(L0, L).
:- table far(_, lattice(most(_, _, _))).
far(X, 0) :- edge(X, _).
far(X, N) :- member(N, [3, 7, 5]), edge(X, _).
most(A, B, C) :- C is max(A, B).
%? far(a, N)
%= N = 7
%? all(a, L)
%= L = [a, b, c, d]
%? all(d, L)
%= L = []
%? fib(60, F), seen(F)
%= F = 1548008755920
%= seen(1548008755920)
%? even(40), \+ odd(40)
%= true
%? distances(a, L)
%= L = [a-3, b-1, c-2, d-3]
%? dist(a, d, D), seen(D)
%= D = 3
%= seen(3)
%? longest(a, P)
%= P = [a, b, c, a]
%? path(d, _)
%= the derivation failed

:- table best_sum(+, max).
best_sum(L, S) :- member(A, L), member(B, L), S is A+B.

%? best_sum([1, 5, 3], S)
%= S = 10
