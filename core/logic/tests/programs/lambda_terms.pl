% Lambda terms with variables that they share, and predicates under other names.
:- use_module(library(yall)).
:- use_module(library(lists), [append/3 as joined, sum_list/2]).
scaled(F, L0, L) :- maplist({F}/[X, Y]>>(Y is X*F), L0, L).
above(N, L0, L) :- include({N}/[X]>>(X > N), L0, L).

%? scaled(3, [1, 2], L), above(1, [0, 1, 2, 3], M)
%= L = [3, 6]
%= M = [2, 3]
%? F = 2, call({F}/(F > 1)), maplist({F}/[X, F, X]>>true, [a, b], L, M)
%= F = 2
%= L = [2, 2]
%= M = [a, b]
%? joined([1], [2], L), sum_list(L, S)
%= L = [1, 2]
%= S = 3
%? call({X}/[A, B, C, D, E, F, G]>>(X = [A, B, C, D, E, F, G]), 1, 2, 3, 4, 5, 6, 7)
%= X = [1, 2, 3, 4, 5, 6, 7]
