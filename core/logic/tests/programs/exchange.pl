% Values sorted in place by swapping.
:- use_module(library(chr)).
:- chr_constraint at(?any, ?any).
at(I, V), at(J, W) <=> I < J, V > W | at(I, W), at(J, V).
load([], _).
load([V|Vs], I) :- at(I, V), J is I + 1, load(Vs, J).
sorted(L, S) :- load(L, 1), findall(I - V, find_chr_constraint(at(I, V)), Ps), keysort(Ps, Qs), pairs_values(Qs, S).

%? sorted([3, 1, 2], S), S = [A|_], fail ; A = none
%= A = none
%? load([2, 1], 1)
%= at(2, 2)
%= at(1, 1)
