% Exclusive or: an equation that any two of three decide.
:- use_module(library(chr)).
:- chr_constraint exor(?any, ?any, ?any).
exor(0, Y, Z) <=> Y = Z.
exor(X, 0, Z) <=> X = Z.
exor(X, Y, 0) <=> X = Y.
exor(1, 1, Z) <=> Z = 0.
exor(1, Y, 1) <=> Y = 0.
exor(X, 1, 1) <=> X = 0.
half_sum(A, B, S) :- exor(A, B, S).

%? half_sum(A, B, S), A = 1, S = 1
%= A = S
%= S = 1
%= B = 0
%? half_sum(A, B, 0)
%= A = B
%? exor(A, B, C), exor(C, D, 1), D = 0, A = 1
%= A = C
%= C = 1
%= B = D
%= D = 0
