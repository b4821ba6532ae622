% Philosophers that each hold one fork wait for the other.
:- use_module(library(chr)).
:- chr_constraint fork(?any), wants(?any, ?any, ?any), eats(?any).
wants(P, A, B), fork(A), fork(B) <=> eats(P), fork(A), fork(B).
dinner :- fork(1), fork(2), wants(p, 1, 2), wants(q, 2, 3).

%? dinner
%= fork(2)
%= fork(1)
%= wants(q, 2, 3)
%= eats(p)
