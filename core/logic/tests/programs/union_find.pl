% Classes of equal things with a representative.
:- use_module(library(chr)).
:- chr_constraint root(?any), link(?any, ?any), union(?any, ?any), find(?any, ?any).
union(A, B) <=> find(A, X), find(B, Y), joined(X, Y).
link(A, B) \ find(A, X) <=> find(B, X).
root(A) \ find(A, X) <=> X = A.
joined(X, X) :- !.
joined(X, Y) :- relink(X, Y).
relink(X, Y) :- link(Y, X).

%? root(a), root(b), find(a, X)
%= X = a
%= root(b)
%= root(a)
%? root(a), link(b, a), find(b, X)
%= X = a
%= root(a)
%= link(b, a)
