% Equations between terms, solved by the machine's own unification.
:- use_module(library(lists)).

%? call(f(X, g(Y)) = f(Y, g(a)))
%= X = Y
%= Y = a
%? X = f(Y), Y = 1, \+ X = f(2)
%= X = f(1)
%= Y = 1
%? \+ unify_with_occurs_check(X, f(X))
%= true
%? f(A, B) \= f(1), A == A, A \== B
%= true
%? ?=(a, b), \+ ?=(X, Y)
%= true
