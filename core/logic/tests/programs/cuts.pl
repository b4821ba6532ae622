% Cuts, if-then-else and negation in clauses.
max(X, Y, X) :- X >= Y, !.
max(_, Y, Y).
sign(X, S) :- ( X > 0 -> S = plus ; X < 0 -> S = minus ; S = zero ).
single(L) :- \+ ( member(X, L), member(Y, L), X \== Y ).
p(1).
p(2).
% A cut in a condition or a negation leaves the alternative.
none :- \+ (p(_), !, fail).
otherwise :- ( p(_), !, fail -> true ; true ).
otherwise_soft :- ( p(_), !, fail *-> true ; true ).
first_only(X) :- p(X), \+ (p(Y), !, Y > 1).
cut_first(X) :- p(X), ( !, fail -> true ; true ).
soft_once(L) :- findall(Y, ( p(Y), !, true *-> true ; Y = 0 ), L).
nested(X) :- p(X), \+ ( p(Y), ( p(Z), !, Z > 1 -> true ; Y > 2 ), ! ).

%? max(3, 2, X), max(2, 3, Y)
%= X = Y
%= Y = 3
%? maplist(sign, [3, -2, 0], L)
%= L = [plus, minus, zero]
%? single([a, a]), \+ single([a, b])
%= true
%? none, otherwise, otherwise_soft
%= true
%? findall(X, first_only(X), L), findall(X, cut_first(X), M), findall(X, nested(X), N)
%= L = M
%= M = N
%= N = [1, 2]
%? soft_once(L)
%= L = [1]
