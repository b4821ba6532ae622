% Nested recursion on integers.
tak(X, Y, Z, A) :- X =< Y, !, Z = A.
tak(X, Y, Z, A) :- X1 is X - 1, Y1 is Y - 1, Z1 is Z - 1, tak(X1, Y, Z, B), tak(Y1, Z, X, C), tak(Z1, X, Y, D), tak(B, C, D, A).

%? tak(8, 4, 2, A)
%= A = 3
