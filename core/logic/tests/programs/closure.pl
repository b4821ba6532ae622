% The reflexive part is left to clauses, the transitive one to rules.
:- use_module(library(chr)).
:- chr_constraint edge(?any, ?any), path(?any, ?any).
path(X, Y) \ path(X, Y) <=> true.
edge(X, Y) ==> path(X, Y).
edge(X, Y), path(Y, Z) ==> path(X, Z).
graph :- edge(a, b), edge(b, c).
reach(X, Y) :- graph, find_chr_constraint(path(X, Y)).

%? edge(X, Y), edge(Y, b)
%= edge(Y, b)
%= edge(X, Y)
%= path(X, b)
%= path(Y, b)
%= path(X, Y)
%? findall(Y, reach(a, Y), L0), msort(L0, L)
%= L0 = [c, b]
%= L = [b, c]
