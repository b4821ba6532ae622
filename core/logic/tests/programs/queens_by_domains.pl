% Queens on a board of any size by constraints over integers.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint placed(+, +).
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs).
safe([]).
safe([Q|Qs]) :- apart(Qs, Q, 1), safe(Qs).
apart([], _, _).
apart([R|Rs], Q, D) :- Q #\= R, abs(Q - R) #\= D, E is D + 1, apart(Rs, Q, E).
place(Qs) :- forall(nth1(_, Qs, Q), integer(Q)), nth1(1, Qs, F), placed(1, F).
%? queens(8, Qs), labeling([ff], Qs), place(Qs)
%= Qs = [1, 5, 8, 6, 3, 7, 2, 4]
%= placed(1, 1)
%? findall(Qs, ( queens(6, Qs), label(Qs) ), L), length(L, N)
%= L = [[2, 4, 6, 1, 3, 5], [3, 6, 2, 5, 1, 4], [4, 1, 5, 2, 6, 3], [5, 3, 1, 6, 4, 2]]
%= N = 4
