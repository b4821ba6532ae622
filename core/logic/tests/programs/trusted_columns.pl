% A column that is declared + is trusted: a variable that is in it all the same may be bound by a guard.
:- use_module(library(chr)).
:- chr_constraint size(+, ?), keep(?, +), ask(?, ?), pair(+, ?), box(+).
size(N, L) <=> length(L, N) | true.
keep(Y, X) \ ask(Y, Z) <=> X = 1, Z == 2 | true.
pair(f(X), Y) <=> X = 1, Y = 2 | true.
box(X) <=> X = [_|_] | true.
%? size(N, [a, b])
%= N = 2
%? size(N, [a, b]), N == 2
%= N = 2
%? keep(k, X), ask(k, 2)
%= X = 1
%= keep(k, 1)
%? ask(k, 2), keep(k, X)
%= X = 1
%= keep(k, 1)
%? ask(k, Z), keep(k, X)
%= keep(k, X)
%= ask(k, Z)
%? pair(f(X), Y)
%= pair(f(X), Y)
%? pair(f(X), 2)
%= X = 1
%? box(X)
%= X = [_1|_2]
