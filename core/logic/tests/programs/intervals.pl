% Bounds of variables that meet.
:- use_module(library(chr)).
:- chr_constraint between(?any, ?any, ?any).
between(_, L, H) <=> L > H | fail.
between(X, L, L) <=> X = L.
between(X, L, H) <=> number(X) | L =< X, X =< H.
between(X, L, H), between(X, M, G) <=> N is max(L, M), F is min(H, G), between(X, N, F).
narrow(X) :- between(X, 1, 5), between(X, 3, 9).

%? narrow(X)
%= between(X, 3, 5)
%? narrow(X), between(X, 5, 7)
%= X = 5
%? narrow(X), X = 4
%= X = 4
%? narrow(X), X = 6
%= the derivation failed
