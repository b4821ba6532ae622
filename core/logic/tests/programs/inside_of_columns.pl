% Partners that are known by what is inside of a column.
:- use_module(library(chr)).
:- [library(lists), library(apply)].
:- chr_constraint edge(?any), node(?any), link(?any, ?any), met(?any).

edge(_-B), edge(B-_) ==> node(B).
link(f([X|_]), Y), link(Y, g(X, a)) ==> met(X).

chain(0, _) :- !.
chain(N, A) :- edge(A-B), M is N-1, chain(M, B).

%? chain(3, a), findall(x, find_chr_constraint(node(_)), L), length(L, N), fail ; true
%= true
%? chain(60, a), findall(x, find_chr_constraint(node(_)), L), length(L, N), write(N), nl, fail ; true
%= 59
%= true
%? link(f([1, _]), b), link(b, g(2, a)), link(b, g(1, a))
%= link(b, g(1, a))
%= link(b, g(2, a))
%= link(f([1, _1]), b)
%= met(1)
%? link(f([X]), Y), link(Z, g(W, a)), Y = Z, X = W
%= X = W
%= Y = Z
%= link(Z, g(W, a))
%= link(f([W]), Z)
%= met(W)
%? link(f(L), b), link(b, g(1, a)), L = [X|T], X = 1
%= L = [1|T]
%= X = 1
%= link(b, g(1, a))
%= link(f([1|T]), b)
%= met(1)
