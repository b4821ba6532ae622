% Membership as a constraint with a choice at the end.
:- use_module(library(chr)).
:- chr_constraint in(?any, ?any), label.
in(X, L), in(X, M) <=> intersection(L, M, N), in(X, N).
in(_, []) <=> fail.
label, in(X, L) <=> member(X, L), label.

%? in(X, [1, 2, 3]), in(X, [2, 3, 4]), label
%= X = 2
%= label
%? in(X, [1]), in(X, [2])
%= the derivation failed
%? in(X, [a, b]), in(Y, [c]), label, X = b
%= X = b
%= Y = c
%= label
