% A program of a small machine, one rule an instruction.
:- use_module(library(chr)).
:- chr_constraint step(?any, ?any), result(?any).
step([], [V|_]) <=> result(V).
step([push(V)|P], S) <=> step(P, [V|S]).
step([add|P], [X, Y|S]) <=> Z is X + Y, step(P, [Z|S]).
step([mul|P], [X, Y|S]) <=> Z is X * Y, step(P, [Z|S]).
compile(X + Y, P) :- !, compile(X, A), compile(Y, B), append([A, B, [add]], P).
compile(X * Y, P) :- !, compile(X, A), compile(Y, B), append([A, B, [mul]], P).
compile(N, [push(N)]).

%? compile(2 * 3 + 4, P), step(P, [])
%= P = [push(2), push(3), mul, push(4), add]
%= result(10)
