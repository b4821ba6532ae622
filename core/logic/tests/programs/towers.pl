% Visible tops of a skyline.
top([], _, []).
top([H|T], M, [H|R]) :- H > M, !, top(T, H, R).
top([_|T], M, R) :- top(T, M, R).

%? top([3, 1, 4, 1, 5], 0, L)
%= L = [3, 4, 5]
