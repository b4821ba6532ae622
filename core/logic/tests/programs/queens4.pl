% Four queens by generating and testing.
queens(N, Qs) :- numlist(1, N, Ns), place(Ns, [], Qs).
place([], Qs, Qs).
place(Ns, Qs, R) :- select(Q, Ns, Ms), safe(Q, 1, Qs), place(Ms, [Q|Qs], R).
safe(_, _, []).
safe(Q, D, [P|Ps]) :- Q =\= P + D, Q =\= P - D, E is D + 1, safe(Q, E, Ps).

%? queens(4, Qs)
%= Qs = [3, 1, 4, 2]
%? findall(Q, queens(5, Q), L), length(L, N), L = [F|_]
%= L = [[4, 2, 5, 3, 1], [3, 5, 2, 4, 1], [5, 3, 1, 4, 2], [4, 1, 3, 5, 2], [5, 2, 4, 1, 3], [1, 4, 2, 5, 3], [2, 5, 3, 1, 4], [1, 3, 5, 2, 4], [3, 1, 4, 2, 5], [2, 4, 1, 3, 5]]
%= N = 10
%= F = [4, 2, 5, 3, 1]
