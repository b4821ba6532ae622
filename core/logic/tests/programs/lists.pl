% The list library.
:- use_module(library(lists)).

%? msort([b, a, c, a], L), sort(0, @>=, [1, 3, 2, 3], M)
%= L = [a, a, b, c]
%= M = [3, 3, 2, 1]
%? nth0(1, [a, b, c], X), nth1(1, [a, b, c], Y), last([1, 2, 3], Z)
%= X = b
%= Y = a
%= Z = 3
%? sumlist([1, 2, 3], S), max_list([1, 5, 3], M), numlist(1, 4, L)
%= S = 6
%= M = 5
%= L = [1, 2, 3, 4]
%? subtract([1, 2, 3], [2], D), union([1, 2], [2, 3], U), intersection([1, 2], [2, 3], I)
%= D = [1, 3]
%= U = [1, 2, 3]
%= I = [2]
%? exclude([X]>>(X > 2), [1, 2, 3], L), partition([X]>>(X < 2), [1, 2], I, O)
%= L = [1, 2]
%= I = [1]
%= O = [2]
%? nextto(X, 3, [1, 2, 3]), select(b, [a, b, c], R), permutation([1, 2], P)
%= X = 2
%= R = [a, c]
%= P = [1, 2]
%? list_to_set([a, b, a], S), delete([a, b, a], a, D), flatten([1, [2, [3]]], F)
%= S = [a, b]
%= D = [b]
%= F = [1, 2, 3]
%? pairs_keys_values(P, [a, b], [1, 2]), foldl([X, A, B]>>(B is A + X), [1, 2], 0, S)
%= P = [a-1, b-2]
%= S = 3
