% Cuts, if-then-else and negation in clauses.
max(X, Y, X) :- X >= Y, !.
max(_, Y, Y).
sign(X, S) :- ( X > 0 -> S = plus ; X < 0 -> S = minus ; S = zero ).
single(L) :- \+ ( member(X, L), member(Y, L), X \== Y ).

%? max(3, 2, X), max(2, 3, Y)
%= X = Y
%= Y = 3
%? maplist(sign, [3, -2, 0], L)
%= L = [plus, minus, zero]
%? single([a, a]), \+ single([a, b])
%= true
