% Rules that count what matches them.
:- use_module(library(chr)).
:- chr_constraint sheep(?any), counted(?any), count.
count <=> counted(0).
counted(N), sheep(_) <=> M is N + 1, counted(M).
herd(N) :- length(L, N), maplist([X]>>sheep(X), L).

%? herd(3), count
%= counted(3)
