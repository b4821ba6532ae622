% Conjunctions of truth values that wake each other.
:- use_module(library(chr)).
:- chr_constraint both(?any, ?any, ?any).
both(0, _, Z) <=> Z = 0.
both(_, 0, Z) <=> Z = 0.
both(1, Y, Z) <=> Y = Z.
both(X, 1, Z) <=> X = Z.
both(X, Y, 1) <=> X = 1, Y = 1.
both(X, X, Z) <=> X = Z.

%? both(A, B, C), both(C, D, E), E = 1
%= A = B
%= B = C
%= C = D
%= D = E
%= E = 1
%? both(A, A, C)
%= A = C
%? both(A, B, C), A = 1
%= A = 1
%= B = C
%? both(A, B, 0)
%= both(A, B, 0)
