% Guests in a row; some must not sit together.
:- use_module(library(chr)).
:- chr_constraint apart(?any, ?any).
apart(X, Y) <=> integer(X), integer(Y) | abs(X - Y) > 1.
seats([A, B, C]) :- apart(A, B), permutation([1, 2, 3], [A, B, C]).

%? seats(L)
%= L = [1, 3, 2]
