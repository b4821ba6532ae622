% Components of a graph by one label that spreads.
:- use_module(library(chr)).
:- chr_constraint near(?any, ?any), label(?any, ?any).
near(A, B), label(A, L) \ label(B, M) <=> L @< M | label(B, L).
near(A, B), label(B, L) \ label(A, M) <=> L @< M | label(A, L).
world(Ns, Es) :- maplist([N]>>label(N, N), Ns), maplist([A - B]>>near(A, B), Es).

%? world([a, b, c], [c - b])
%= near(c, b)
%= label(c, b)
%= label(b, b)
%= label(a, a)
