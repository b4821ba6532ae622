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

% Each answer is joined once where no call occurs within itself: sums and lattices that are not idempotent.
:- table total(_, sum), both(_, lattice(plus/3)), earliest(_, first), latest(_, last), list(_, -).
sale(a, 3). sale(b, 4). sale(a, 5). sale(a, 3).
total(X, N) :- sale(X, N).
both(X, N) :- sale(X, N).
earliest(X, N) :- sale(X, N).
latest(X, N) :- sale(X, N).
list(X, N) :- sale(X, N).
grand(N) :- total(a, A), total(b, B), N is A+B.

%? total(a, N)
%= N = 11
%? sorted(total(X, N), X-N, L)
%= L = [a-11, b-4]
%? both(a, N)
%= N = 11
%? grand(N), grand(N)
%= N = 15
%? earliest(a, N), earliest(b, M)
%= N = 3
%= M = 4
%? latest(b, N)
%= N = 4
%? list(a, N)
%= N = 3

% Groups of calls within each other, some within larger groups; calls that occur twice.
:- table reach/2, twice/2, up/2, down/2, side/1, same_generation/2, nat/1, back/2.
reach(X, Y) :- link(X, Y).
reach(X, Y) :- link(X, Z), reach(Z, Y).
link(1, 2). link(2, 3). link(3, 1). link(3, 4). link(4, 5). link(5, 4). link(5, 6). link(7, 7).
twice(X, Y) :- twice(X, Z), twice(Z, Y).
twice(X, Y) :- link(X, Y).
up(X, Y) :- link(X, Y).
up(X, Y) :- down(X, Z), link(Z, Y).
down(X, Y) :- up(X, Z), side(Z), link(Z, Y).
down(X, Y) :- link(Y, X).
side(X) :- reach(1, X), \+ X == 2.
side(X) :- side(Y), Y > 3, link(Y, X).
parent(b, a). parent(c, a). parent(d, b). parent(e, c). parent(f, d).
same_generation(X, X) :- parent(X, _).
same_generation(X, Y) :- parent(X, A), same_generation(A, B), parent(Y, B).
same_generation(X, Y) :- parent(X, A), parent(Y, A).
nat(0).
nat(N) :- nat(M), M < 50, N is M+1.
back(X, Y) :- back(Y, X).
back(X, Y) :- link(X, Y).
sorted(G, X, L) :- findall(X, G, L0), sort(L0, L).

%? sorted(reach(1, Y), Y, L)
%= L = [1, 2, 3, 4, 5, 6]
%? sorted(reach(X, Y), X-Y, L), length(L, N)
%= L = [1-1, 1-2, 1-3, 1-4, 1-5, 1-6, 2-1, 2-2, 2-3, 2-4, 2-5, 2-6, 3-1, 3-2, 3-3, 3-4, 3-5, 3-6, 4-4, 4-5, 4-6, 5-4, 5-5, 5-6, 7-7]
%= N = 25
%? sorted(twice(X, Y), X-Y, L), sorted(reach(X, Y), X-Y, L)
%= L = [1-1, 1-2, 1-3, 1-4, 1-5, 1-6, 2-1, 2-2, 2-3, 2-4, 2-5, 2-6, 3-1, 3-2, 3-3, 3-4, 3-5, 3-6, 4-4, 4-5, 4-6, 5-4, 5-5, 5-6, 7-7]
%? sorted(up(1, Y), Y, U), sorted(side(X), X, S), sorted(down(1, Y), Y, U)
%= U = [1, 2, 3, 4, 5, 6]
%= S = [1, 3, 4, 5, 6]
%? sorted(same_generation(d, Y), Y, L)
%= L = [d, e]
%? aggregate_all(count, nat(_), N), aggregate_all(max(M), nat(M), K), \+ nat(51)
%= N = 51
%= K = 50
%? sorted(back(X, Y), X-Y, L)
%= L = [1-2, 1-3, 2-1, 2-3, 3-1, 3-2, 3-4, 4-3, 4-5, 5-4, 5-6, 6-5, 7-7]

% An error within an evaluation forgets it, and those that it began, alone.
:- table risky/1, outer/1, inner/1.
:- dynamic broken/0.
broken.
risky(X) :- member(X, [1, 2]), ( broken -> throw(broken) ; true ).
outer(X) :- catch(inner(X), E, X = E).
outer(X) :- outer(Y), atom(Y), X = f(Y).
inner(X) :- member(X, [one, two]).
inner(_) :- throw(early).

%? catch(risky(X), E, true)
%= E = broken
%? retract(broken), sorted(risky(X), X, L)
%= L = [1, 2]
%? sorted(outer(X), X, L)
%= L = [early, f(early)]
%? path(a, X), abolish_all_tables, once(path(d, _))
%= the derivation failed
%? fib(20, F), abolish_all_tables, fib(21, G)
%= F = 6765
%= G = 10946
