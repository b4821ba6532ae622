% In which order bindings wake constraints, partners are found, and rules that begin alike are tried.
:- use_module(library(chr)).
:- op(700, xfx, ~>).
:- chr_constraint late(?, ?), early(?, ?), single(?), mark(?, ?), look(?), pair(?, ?, ?), see(?).
:- chr_constraint go(+, +), root(+), make(+), find(+, ?), union(+, +), ~>(+, +), link(+, +), rank(+, +).
:- chr_constraint want(?), have(?, ?), three(?), other(?), part(?).

late(X, N) ==> nonvar(X) | write(late-N), nl.
early(X, N) ==> nonvar(X) | write(early-N), nl.
single(X) ==> nonvar(X) | write(single), nl.

look(X), mark(X, N) ==> write(N), nl.
see(X), pair(X, _, N) ==> write(N), nl.

first @ go(A, _), root(A) <=> write(first(A)), nl.
second @ go(_, A), root(A) <=> write(second(A)), nl.

make(A) <=> rank(A, 0).
union(A, B) <=> find(A, X), find(B, Y), link(X, Y).
A ~> B \ find(A, X) <=> find(B, X).
rank(A, _) \ find(A, X) <=> X = A.
link(A, A) <=> true.
link(A, B), rank(A, N), rank(B, M) <=> N >= M | B ~> A, N1 is max(N, M + 1), rank(A, N1).
link(B, A), rank(A, N), rank(B, M) <=> N >= M | B ~> A, N1 is max(N, M + 1), rank(A, N1).

want(X), have(X, N) <=> N > 3 | write(more(N)), nl.
want(X), have(X, N) <=> N < 3 | write(less(N)), nl.

part(X), part(Y) \ other(Z) <=> write(X-Y-Z), nl.
other(X) \ part(Y), part(Z) <=> X == go | write(X/Y/Z), nl.
three(X), part(Y), part(Z) ==> write(three(X, Y, Z)), nl.

%? early(X, 1), late(X, 2), early(X, 3), late(X, 4), X = z, write(end)
%= late-2
%= late-4
%= early-1
%= early-3
%= end
%= X = z
%= late(z, 4)
%= late(z, 2)
%= early(z, 3)
%= early(z, 1)
%? single(X), early(X, 1), late(Y, 2), early(X, 3), late(Y, 4), X = Y, write(met), nl, Y = z, write(end)
%= met
%= late-2
%= late-4
%= early-1
%= early-3
%= single
%= end
%= X = Y
%= Y = z
%= late(z, 4)
%= late(z, 2)
%= early(z, 3)
%= early(z, 1)
%= single(z)
%? single(X), early(X, 1), late(Y, 2), X = f(Y), write(met), nl, Y = z, write(end)
%= early-1
%= single
%= met
%= late-2
%= end
%= X = f(z)
%= Y = z
%= late(z, 2)
%= early(f(z), 1)
%= single(f(z))
%? single(X), late(X, 1), early(Y, 2), [Y, X] = [1, 2], write(end)
%= early-2
%= late-1
%= single
%= end
%= X = 2
%= Y = 1
%= late(2, 1)
%= early(1, 2)
%= single(2)
%? mark(X, 1), mark(Y, 2), mark(X, 3), X = Y, look(X), write(end)
%= 1
%= 2
%= 3
%= end
%= X = Y
%= mark(Y, 3)
%= mark(Y, 2)
%= mark(Y, 1)
%= look(Y)
%? mark(X, 1), mark(Y, 2), mark(X, 3), X = Y, mark(X, 4), look(X), write(end)
%= 4
%= 1
%= 2
%= 3
%= end
%= X = Y
%= mark(Y, 4)
%= mark(Y, 3)
%= mark(Y, 2)
%= mark(Y, 1)
%= look(Y)
%? mark(X, 1), mark(X, 3), mark(Y, 5), look(X), X = Y, look(Y), write(end)
%= 3
%= 1
%= 5
%= 1
%= 3
%= 5
%= end
%= X = Y
%= mark(Y, 5)
%= mark(Y, 3)
%= mark(Y, 1)
%= look(Y)
%= look(Y)
%? mark(X, 1), mark(X, 3), mark(Y, 5), X = Y, X = a, look(a), write(end)
%= 5
%= 3
%= 1
%= end
%= X = Y
%= Y = a
%= mark(a, 5)
%= mark(a, 3)
%= mark(a, 1)
%= look(a)
%? pair(X, Z, 1), pair(Y, Z, 2), pair(X, Z, 3), X = Y, see(X), write(end)
%= 1
%= 2
%= 3
%= end
%= X = Y
%= pair(Y, Z, 3)
%= pair(Y, Z, 2)
%= pair(Y, Z, 1)
%= see(Y)
%? pair(X, Z, 1), pair(Z, _, 2), pair(X, Z, 3), X = Z, see(X), write(end)
%= 1
%= 2
%= 3
%= end
%= X = Z
%= pair(Z, Z, 3)
%= pair(Z, _1, 2)
%= pair(Z, Z, 1)
%= see(Z)
%? mark(X, 1), mark(Y, 2), ( X = Y, fail ; true ), mark(X, 3), look(X), write(end)
%= 3
%= 1
%= end
%= mark(X, 3)
%= mark(Y, 2)
%= mark(X, 1)
%= look(X)
%? root(a), root(b), go(a, b)
%= second(b)
%= root(a)
%? root(b), root(a), go(a, b)
%= first(a)
%= root(b)
%? make(a), make(b), union(a, b)
%= a~>b
%= rank(b, 1)
%? make(a), make(b), make(c), make(d), union(a, b), union(c, d), union(a, d)
%= b~>d
%= c~>d
%= a~>b
%= rank(d, 2)
%? have(x, 5), have(x, 3), have(x, 1), want(x), want(x)
%= less(1)
%= more(5)
%= have(x, 3)
%? have(X, 5), have(Y, 1), X = Y, want(X), want(X)
%= more(5)
%= less(1)
%= X = Y
%? part(1), part(2), other(a)
%= 2-1-a
%= part(2)
%= part(1)
%? other(go), part(1), part(2), part(3)
%= 2-1-go
%= part(3)
%= part(2)
%= part(1)
%? part(1), part(2), part(3), other(go)
%= 3-2-go
%= part(3)
%= part(2)
%= part(1)
%? part(1), part(2), three(x)
%= three(x,2,1)
%= three(x,1,2)
%= three(x)
%= part(2)
%= part(1)
