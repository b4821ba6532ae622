% Linear equations of two unknowns by elimination.
:- use_module(library(chr)).
:- chr_constraint eq(?any, ?any, ?any, ?any, ?any).
solve @ eq(A, X, 0, _, C) <=> A =\= 0 | X is C / A.
known @ eq(A, X, B, Y, C) <=> nonvar(X) | D is C - A * X, eq(B, Y, 0, _, D).
swap @ eq(A, X, B, Y, C) <=> nonvar(Y) | D is C - B * Y, eq(A, X, 0, _, D).
remove @ eq(A, X, B, Y, C) \ eq(D, X, E, Y, F) <=> G is E * A - B * D, G =\= 0 | H is F * A - C * D, eq(G, Y, 0, _, H).

%? eq(1, X, 1, Y, 5), eq(1, X, -1, Y, 1)
%= X = 3
%= Y = 2
%? eq(2, X, 0, _, 8)
%= X = 4
