% What library(dialect/hprolog) has: lists compared by ==, parts of lists, stores by name.
:- use_module(library(chr)).
:- use_module(library(dialect/hprolog)).
:- chr_constraint seen(?any), all(?any).
seen(X), all(L) <=> memberchk_eq(X, L) | all(L).
seen(X), all(L) <=> all([X|L]).

%? all([]), seen(A), seen(B), seen(A)
%= all([B, A])
%? take(2, [a, b, c], T), drop(1, [a, b, c], D), split_at(2, [a, b, c], S, R), \+ take(4, [a], _)
%= T = S
%= S = [a, b]
%= D = [b, c]
%= R = [c]
%? substitute_eq(X, [X, Y, 1], 2, L), list_difference_eq([X, Y], [X], D), intersect_eq([X, Y], [Y], I)
%= L = [2, Y, 1]
%= D = I
%= I = [Y]
%? max_go_list([b, 3, f(x), a], M), or_list([1, 4], O), chr_delete([a, b, a], a, C)
%= M = f(x)
%= O = 5
%= C = [b]
%? findall(S, bounded_sublist(S, [a, b], 1), L)
%= L = [[], [a], [], [b], []]
%? init_store(k, 0), get_store(k, V), update_store(k, 1), get_store(k, W)
%= V = 0
%= W = 1
