% Clauses that call each other.
even(0).
even(N) :- N > 0, M is N - 1, odd(M).
odd(N) :- N > 0, M is N - 1, even(M).

%? even(1000), \+ odd(1000)
%= true
%? findall(N, ( between(0, 6, N), even(N) ), L)
%= L = [0, 2, 4, 6]
