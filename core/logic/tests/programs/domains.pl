% Finite domains as lists, narrowed by rules.
:- use_module(library(chr)).
:- chr_constraint dom(?any, ?any), below(?any, ?any).
dom(_, []) <=> fail.
dom(X, [V]) <=> X = V.
dom(X, D) <=> nonvar(X) | memberchk(X, D).
dom(X, D), dom(X, E) <=> intersection(D, E, F), dom(X, F).
dom(X, D), below(X, Y) \ dom(Y, E) <=> min_list(D, M), narrowed(E, M, F), F \== E | dom(Y, F).
narrowed([], _, []).
narrowed([V|Vs], M, R) :- ( V > M -> R = [V|S] ; R = S ), narrowed(Vs, M, S).

%? dom(X, [1, 2, 3]), dom(X, [2, 3, 4])
%= dom(X, [2, 3])
%? dom(X, [1, 2]), dom(X, [2, 3])
%= X = 2
%? dom(X, [2, 3]), dom(Y, [1, 2, 3]), below(X, Y)
%= Y = 3
%= dom(X, [2, 3])
%= below(X, 3)
%? dom(X, [1]), dom(X, [2])
%= the derivation failed
