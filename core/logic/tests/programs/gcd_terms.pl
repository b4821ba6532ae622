% Greatest common divisors of expressions.
:- use_module(library(chr)).
:- chr_constraint gcd(?any).
gcd(0) <=> true.
gcd(N) \ gcd(M) <=> N =< M | L is M mod N, gcd(L).
of(E) :- X is E, gcd(X).

%? of(3 * 4), of(2 + 16), of(30)
%= gcd(6)
