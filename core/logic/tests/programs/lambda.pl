% Lambdas with free variables and calls with more arguments.
twice(G, X, Z) :- call(G, X, Y), call(G, Y, Z).
adder(N, [X, Y]>>(Y is X + N)).

%? adder(3, G), twice(G, 1, X), G = _
%= G = [_1, _2]>>(_2 is _1+3)
%= X = 7
%? maplist([X, Y]>>(Y = f(X)), [1, 2], L)
%= L = [f(1), f(2)]
%? N = 2, maplist({N}/[X, Y]>>(Y is X * N), [1, 2], L)
%= N = 2
%= L = [2, 4]
