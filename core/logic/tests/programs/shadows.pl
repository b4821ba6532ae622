% A program's own definitions of what the library has.
append(X, Y, f(X, Y)).
last(_, none).

%? append(1, 2, X), last([1], Y)
%= X = f(1, 2)
%= Y = none
%? union([1], [2], L)
%= L = [1, 2]
