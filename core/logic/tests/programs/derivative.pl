% Symbolic derivatives, simplified.
d(X, X, 1) :- !.
d(C, _, 0) :- atomic(C), !.
d(U + V, X, DU + DV) :- d(U, X, DU), d(V, X, DV).
d(U * V, X, DU * V + U * DV) :- d(U, X, DU), d(V, X, DV).
s(A + B, S) :- !, s(A, C), s(B, D), plus_of(C, D, S).
s(A * B, S) :- !, s(A, C), s(B, D), times_of(C, D, S).
s(A, A).
plus_of(0, A, A) :- !.
plus_of(A, 0, A) :- !.
plus_of(A, B, A + B).
times_of(0, _, 0) :- !.
times_of(_, 0, 0) :- !.
times_of(1, A, A) :- !.
times_of(A, 1, A) :- !.
times_of(A, B, A * B).

%? d(x * x + 3 * x, x, D), s(D, S)
%= D = 1*x+x*1+(0*x+3*1)
%= S = x+x+3
