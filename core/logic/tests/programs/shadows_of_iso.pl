% Clauses for predicates of ISO Prolog are left out; other ones of a library may be defined anew.
:- use_module(library(chr)).
:- chr_constraint size/2.

length(_, wrong).
print(X) :- write(printed(X)), nl.
plus(A, B, A+B).
last(L, last_of(L)).
size(L, N) <=> length(L, N).

%? size([a, b], N)
%= N = 2
%? plus(1, 2, X)
%= X = 1+2
%? last([1, 2], X)
%= X = last_of([1, 2])
