% Copies of small and of large terms: what is shared, what is new, and what waits.
deep(0, T, T) :- !.
deep(N, T0, T) :- M is N-1, deep(M, f(T0, T0), T).
ground_part :- deep(40, a, T), copy_term(T, C), same_term(T, C).
other_part :- deep(40, _, T), copy_term(T, C), T = f(A, B), A == B, C = f(D, E), D == E, \+ A == D.
long(Y, Z) :- length(L, 6000), maplist(=(X), L), copy_term(L, C), X = 1, C = [Y|_], last(C, Z), length(C, 6000).
cycle(X, Y, Z) :- T = f(X, T), copy_term(T, C), C = f(Y, D), D = f(Z, _).
frozen_copy(G) :- freeze(X, true), copy_term(f(X, _), f(A, _)), frozen(A, G).
bound_later :- X = f(_), copy_term(X, Y), X = f(1), Y = f(Z), var(Z).

%? copy_term(f(X, g(X, Y), [Y|Z]), C)
%= C = f(_1, g(_1, _2), [_2|_3])
%? ground_part
%= true
%? other_part
%= true
%? long(Y, Z)
%= Y = Z
%? cycle(X, Y, Z)
%= Y = Z
%? frozen_copy(G)
%= G = freeze(_1, user:true)
%= freeze(_1, true)
%? bound_later
%= true
%? findall(X-Y-"text"-1.5-123456789012345678901234567890, member(X, [f(Y, Y), g]), L)
%= L = [f(_1, _1)-_1-"text"-1.5-123456789012345678901234567890, g-_2-"text"-1.5-123456789012345678901234567890]
%? freeze(L, L = [1, 2, 3]), memberchk(2, L)
%= L = [1, 2, 3]
%? dif(A, B), memberchk(A, [B, C]), A == C
%= A = C
%= dif(C, B)
%? reverse(L, [a, b]), !
%= L = [b, a]
