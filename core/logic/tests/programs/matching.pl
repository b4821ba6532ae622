% Heads match one way: they bind no variable of a constraint.
:- use_module(library(chr)).
:- chr_constraint shape(?any), found(?any).
shape(f(X, X)) <=> found(X).
shape([H|T]) <=> found(H - T).
set(X, V) :- X = V.

%? shape(f(A, B))
%= shape(f(A, B))
%? shape(f(A, B)), set(A, B)
%= A = B
%= found(B)
%? shape(X), set(X, [1, 2])
%= X = [1, 2]
%= found(1-[2])
