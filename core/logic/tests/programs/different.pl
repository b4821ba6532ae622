% Terms that must not become equal.
pair(X, Y) :- dif(X, Y), member(X, [1, 2]), member(Y, [1, 2]).

%? pair(X, Y)
%= X = 1
%= Y = 2
%? dif(f(X, Y), f(1, 2)), X = 1, Y = 3
%= X = 1
%= Y = 3
%? dif(X, Y), X = Y
%= the derivation failed
%? dif(X, a)
%= dif(X, a)
