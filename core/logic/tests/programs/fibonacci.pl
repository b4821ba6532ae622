% Numbers are kept in the store so that none is computed twice.
:- use_module(library(chr)).
:- chr_constraint fib(?any, ?any).
fib(N, M) \ fib(N, K) <=> M = K.
fib(0, M) ==> M = 1.
fib(1, M) ==> M = 1.
fib(N, M) ==> N > 1 | A is N - 1, fib(A, X), B is N - 2, fib(B, Y), M is X + Y.

%? fib(5, M)
%= M = 8
%= fib(0, 1)
%= fib(1, 1)
%= fib(2, 2)
%= fib(3, 3)
%= fib(4, 5)
%= fib(5, 8)
