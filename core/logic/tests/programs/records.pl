% Terms taken apart and put together.
:- use_module(library(lists)).

%? T =.. [f, 1, X], functor(T, N, A), arg(1, T, Y)
%= T = f(1, X)
%= N = f
%= A = 2
%= Y = 1
%? functor(T, g, 2), T = g(a, B)
%= T = g(a, B)
%? T = f(a, b), setarg(1, T, c)
%= T = f(c, b)
%? term_variables(f(X, g(Y, X), _), Vs), length(Vs, N)
%= Vs = [X, Y, _1]
%= N = 3
%? subsumes_term(f(_), f(a)), f(X) =@= f(Y), \+ f(X, X) =@= f(X, Y)
%= true
