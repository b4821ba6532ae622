% Predicates without arguments may be written with brackets, where they are defined and called.
:- use_module(library(chr)).
:- chr_constraint tick/0, count/1.
tick, count(N) <=> M is N + 1, count(M).
twice() :- tick(), once().
once() :- tick.
late() :- fail.
late.
%? count(0), twice(), twice
%= count(4)
%? late( ), findall(x, late, L)
%= L = [x]
%? count(1), call(twice()), maplist([_]>>tick(), [a])
%= count(4)
