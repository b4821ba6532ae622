% Amounts by coins, all ways in order.
change(0, _, []).
change(N, [C|Cs], [C|T]) :- N >= C, M is N - C, change(M, [C|Cs], T).
change(N, [_|Cs], T) :- N > 0, change(N, Cs, T).

%? findall(L, change(6, [5, 2, 1], L), Ls)
%= Ls = [[5, 1], [2, 2, 2], [2, 2, 1, 1], [2, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]
%? change(3, [2], L)
%= the derivation failed
