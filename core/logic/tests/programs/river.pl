% Farmer, wolf, goat and cabbage.
:- dynamic seen/1.
move(s(A, A, G, C), s(B, B, G, C)) :- other(A, B).
move(s(A, W, A, C), s(B, W, B, C)) :- other(A, B).
move(s(A, W, G, A), s(B, W, G, B)) :- other(A, B).
move(s(A, W, G, C), s(B, W, G, C)) :- other(A, B).
other(e, w).
other(w, e).
safe(s(F, W, G, C)) :- ( G == F -> true ; W \== G, G \== C ).
cross(S, S, _, 0).
cross(S, T, Seen, N) :- move(S, R), safe(R), \+ memberchk(R, Seen), cross(R, T, [R|Seen], M), N is M + 1.

%? S = s(e, e, e, e), cross(S, s(w, w, w, w), [S], N)
%= S = s(e, e, e, e)
%= N = 7
