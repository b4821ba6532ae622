% Steps to one.
:- use_module(library(chr)).
:- chr_constraint hail(?any, ?any).
hail(1, K) <=> K = 0.
hail(N, K) <=> N > 1, 0 is N mod 2 | M is N // 2, hail(M, L), K is L + 1.
hail(N, K) <=> N > 1 | M is 3 * N + 1, hail(M, L), K is L + 1.

%? hail(7, K)
%= K = 16
