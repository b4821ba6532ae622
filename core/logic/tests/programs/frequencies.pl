% How often each letter occurs.
:- use_module(library(chr)).
:- chr_constraint letter(?any, ?any).
letter(C, N), letter(C, M) <=> K is N + M, letter(C, K).
count(A) :- atom_chars(A, Cs), forall(member(C, Cs), atom(C)), maplist([C]>>letter(C, 1), Cs).

%? count(abca)
%= letter(a, 2)
%= letter(c, 1)
%= letter(b, 1)
