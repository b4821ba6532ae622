% Floats without a finite value: how they are written, and that the text is read as the same float.
again(X) :- term_to_atom(X, Text), term_to_atom(Y, Text), X == Y.
least([], M, M).
least([X|Xs], M0, M) :- M1 is min(X, M0), least(Xs, M1, M).

%? X is inf, Y is -inf, Z is nan
%= X = 1.0Inf
%= Y = -1.0Inf
%= Z = 1.5NaN
%? X is inf, Y is -inf, again(X), again(f(Y, [X]))
%= X = 1.0Inf
%= Y = -1.0Inf
%? A is inf, least([3, 2.5], A, B)
%= A = 1.0Inf
%= B = 2.5
%? X is inf, format(atom(A), "~w ~q ~a", [X, 1 - X, X])
%= X = 1.0Inf
%= A = '1.0Inf 1-1.0Inf 1.0Inf'
