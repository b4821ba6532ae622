% Moves of three discs.
hanoi(0, _, _, _, []) :- !.
hanoi(N, A, B, C, Ms) :- M is N - 1, hanoi(M, A, C, B, X), hanoi(M, C, B, A, Y), append(X, [A - B|Y], Ms).

%? hanoi(2, l, r, m, Ms)
%= Ms = [l-m, l-r, m-r]
%? hanoi(5, l, r, m, Ms), length(Ms, N), Ms = _
%= Ms = [l-r, l-m, r-m, l-r, m-l, m-r, l-r, l-m, r-m, r-l, m-l, r-m, l-r, l-m, r-m, l-r, m-l, m-r, l-r, m-l, r-m, r-l, m-l, m-r, l-r, l-m, r-m, l-r, m-l, m-r, l-r]
%= N = 31
