% Large integers.
fact(0, 1) :- !.
fact(N, F) :- M is N - 1, fact(M, G), F is N * G.

%? fact(30, F)
%= F = 265252859812191058636308480000000
%? fact(20, F), G is F mod 1000007
%= F = 2432902008176640000
%= G = 794133
