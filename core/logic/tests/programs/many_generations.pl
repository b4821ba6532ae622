% Thousands of constraints come and go, fewer at a time than a table keeps dead ones.
:- use_module(library(chr)).
:- chr_constraint token(+int), clear.
clear \ token(_) <=> true.
clear <=> true.
generations(0) :- !.
generations(N) :- M is N mod 5, forall(between(1, M, _), true), put(M), clear, N1 is N - 1, generations(N1).
put(0) :- !.
put(M) :- token(M), M1 is M - 1, put(M1).

%? generations(1500), token(7)
%= token(7)
