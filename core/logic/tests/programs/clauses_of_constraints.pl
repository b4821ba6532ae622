% A constraint with clauses of its own: these are tried first, the constraint is the last alternative.
:- use_module(library(chr)).
:- chr_constraint seat/2, free/1, booked/1.

free(none).
free(S) :- S == all, write(everything), nl.
free(S), booked(S) <=> fail.
seat(S, P) <=> free(S), P = taken.

%? free(none)
%= true
%? free(a)
%= free(a)
%? findall(S, free(S), L)
%= L = [none, _1]
%? seat(b, P)
%= P = taken
%= free(b)
%? free(all)
%= everything
%= true
%? booked(c), free(c)
%= the derivation failed
%? booked(c), free(d)
%= free(d)
%= booked(c)
