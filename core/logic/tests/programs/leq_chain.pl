% A cycle of inequalities makes its variables equal.
:- use_module(library(chr)).
:- chr_constraint leq(?any, ?any).
leq(X, X) <=> true.
leq(X, Y), leq(Y, X) <=> X = Y.
leq(X, Y) \ leq(X, Y) <=> true.
leq(X, Y), leq(Y, Z) ==> leq(X, Z).
chain([_]).
chain([X, Y|T]) :- leq(X, Y), chain([Y|T]).

%? L = [A, B, C, D], chain(L), leq(D, A)
%= L = [D, D, D, D]
%= A = B
%= B = C
%= C = D
%? leq(A, B), leq(B, C)
%= leq(A, C)
%= leq(B, C)
%= leq(A, B)
%? leq(A, B), leq(B, A), A = 1
%= A = B
%= B = 1
