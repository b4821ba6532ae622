% The least of all values is taken first.
:- use_module(library(chr)).
:- chr_constraint queued(?any), least(?any).
least(M), queued(X) <=> \+ ( find_chr_constraint(queued(Y)), Y @< X ) | M = X.
fill(L) :- maplist([X]>>queued(X), L).

%? fill([c, a, b]), least(M)
%= M = a
%= queued(b)
%= queued(c)
