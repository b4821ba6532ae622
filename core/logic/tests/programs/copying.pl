% Copies have new variables and none of the constraints.
:- use_module(library(chr)).
:- chr_constraint mark(?any).
mark(X) \ mark(X) <=> true.
fresh(X, Y) :- copy_term(f(X, X, a), Y).

%? mark(X), fresh(X, Y)
%= Y = f(_1, _1, a)
%= mark(X)
%? fresh(X, f(A, B, C)), A = 1
%= A = B
%= B = 1
%= C = a
