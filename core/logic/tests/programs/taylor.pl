% Floats and their text.
series(0, _, 1.0) :- !.
series(N, X, S) :- M is N - 1, series(M, X, T), fac(N, F), S is T + X ** N / F.
fac(0, 1) :- !.
fac(N, F) :- M is N - 1, fac(M, G), F is N * G.

%? series(12, 1, E), format("~4f~n", [E]), E = _
%= 2.7183
%= E = 2.7182818282861687
%? call((X is 10 / 4, Y is 7 // 2, Z is -7 mod 3, W is truncate(2.7), V is 2 ** 100))
%= X = 2.5
%= Y = 3
%= Z = W
%= W = 2
%= V = 1267650600228229401496703205376
