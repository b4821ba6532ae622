% A multiplication with digits from a set.
digits(N, Ds) :- number_codes(N, Cs), maplist([C, D]>>(D is C - 48), Cs, Ds).
even_only(N) :- digits(N, Ds), forall(member(D, Ds), 0 is D mod 2).
find(A, B, C) :- between(20, 48, A), even_only(A), between(2, 8, B), even_only(B), C is A * B, C > 99, even_only(C).

%? find(A, B, C)
%= A = 26
%= B = 8
%= C = 208
%? aggregate_all(count, find(_, _, _), N)
%= N = 5
