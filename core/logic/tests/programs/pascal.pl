% Rows of Pascal's triangle by folding.
next(R, [1|S]) :- pairs(R, S).
pairs([X], [X]).
pairs([X, Y|T], [Z|S]) :- Z is X + Y, pairs([Y|T], S).
row(0, [1]) :- !.
row(N, R) :- M is N - 1, row(M, Q), next(Q, R).

%? row(5, R)
%= R = [1, 5, 10, 10, 5, 1]
