% Paths on a grid by search with a limit.
step(X / Y, Z / Y) :- X < 2, Z is X + 1.
step(X / Y, X / Z) :- Y < 2, Z is Y + 1.
path(P, P, [P]).
path(P, Q, [P|T]) :- step(P, R), path(R, Q, T).

%? path(0 / 0, 1 / 1, L)
%= L = [0/0, 1/0, 1/1]
%? findall(L, path(0 / 0, 2 / 2, L), Ls), length(Ls, N), Ls = _
%= Ls = [[0/0, 1/0, 2/0, 2/1, 2/2], [0/0, 1/0, 1/1, 2/1, 2/2], [0/0, 1/0, 1/1, 1/2, 2/2], [0/0, 0/1, 1/1, 2/1, 2/2], [0/0, 0/1, 1/1, 1/2, 2/2], [0/0, 0/1, 0/2, 1/2, 2/2]]
%= N = 6
