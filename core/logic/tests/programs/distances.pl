% Distances that are not a number prune as two differences do.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint seen(?).
seen(X) \ seen(X) <=> true.
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), label(Qs).
safe([]).
safe([Q|Qs]) :- apart(Qs, Q, 1), safe(Qs).
apart([], _, _).
apart([R|Rs], Q, D) :- Q #\= R, abs(Q-R) #\= D, E is D+1, apart(Rs, Q, E).
near(D) :- [X, Y] ins 1..5, abs(X-Y) #\= 2, X = 3, fd_dom(Y, D).
turned(D) :- Y in 1..5, 1+1 #\= abs(3-Y), fd_dom(Y, D).
never(D) :- X in 1..5, abs(X-7) #\= -1, fd_dom(X, D).

%? queens(12, Qs)
%= Qs = [1, 3, 5, 8, 10, 12, 6, 11, 2, 7, 9, 4]
%? near(D), turned(E), never(F)
%= D = E
%= E = 2..4
%= F = 1..5
