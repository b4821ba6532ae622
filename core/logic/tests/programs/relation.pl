% Partial orders with a lattice of divisors.
:- use_module(library(chr)).
:- chr_constraint divides(?any, ?any).
divides(X, X) <=> true.
divides(X, Y) <=> integer(X), integer(Y) | 0 is Y mod X.
divides(X, Y) \ divides(X, Y) <=> true.
divides(X, Y), divides(Y, Z) ==> divides(X, Z).

%? divides(X, Y), divides(Y, 12), X = 3
%= X = 3
%= divides(Y, 12)
%= divides(3, Y)
%? divides(X, 12), X = 5
%= the derivation failed
