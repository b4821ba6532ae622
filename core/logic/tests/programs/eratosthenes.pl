% Sieve with clauses and lists.
primes(N, Ps) :- numlist(2, N, L), sieve(L, Ps).
sieve([], []).
sieve([P|Xs], [P|Ps]) :- exclude([X]>>(0 is X mod P), Xs, Ys), sieve(Ys, Ps).

%? primes(30, Ps)
%= Ps = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
