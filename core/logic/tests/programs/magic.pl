% A row of three different numbers with a given sum.
row(S, [A, B, C]) :- select(A, [1, 2, 3, 4, 5], R1), select(B, R1, R2), A < B, member(C, R2), B < C, S =:= A + B + C.

%? row(8, L)
%= L = [1, 2, 5]
%? findall(L, row(9, L), Ls)
%= Ls = [[1, 3, 5], [2, 3, 4]]
