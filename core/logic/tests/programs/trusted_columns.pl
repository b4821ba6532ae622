% A column that is declared + is trusted: a variable that is in it all the same may be bound by a guard, and heads are
% unified with it.
:- use_module(library(chr)).
:- chr_constraint size(+, ?), keep(?, +), ask(?, ?), pair(+, ?), box(+).
:- chr_constraint item(+, +), take(+), once_of(+, ?), link(+, +), twice(+, +), mixed(?, +), split(+).
:- chr_constraint price(+), seen(+, ?), far(+), near(+), hook(+, +), count(+, +), text(+).
size(N, L) <=> length(L, N) | true.
keep(Y, X) \ ask(Y, Z) <=> X = 1, Z == 2 | true.
pair(f(X), Y) <=> X = 1, Y = 2 | true.
box(X) <=> X = [_|_] | true.
item(X, 1), take(X) <=> write(took(X)), nl.
once_of(X, Y) \ once_of(X, Z) <=> Y = Z.
link(f(X), Y), hook(g(X), Y) ==> write(linked(X)), nl.
twice(X, X) <=> ( ground(X) -> write(twice(X)) ; write(same) ), nl.
mixed(X, X) <=> write(mixed(X)), nl.
split([A|B]) <=> write(first), nl, A = 0, B = [].
price(f(X)), price(X) ==> X > 1 | write(price(X)), nl.
seen(1, _) ==> write(seen), nl.
far(k(X)), near(k(k(X))) <=> X = 5, write(far), nl.
count(N, N0), count(N0, s(N)) <=> N = 1 | true.
text("a") <=> write(text), nl.

%? item(X, Y), take(2)
%= took(2)
%= X = 2
%= Y = 1
%? item(f(X), _), item(f(_), 1), take(f(3))
%= took(f(3))
%= item(f(X), _1)
%? take(X), item(7, Y)
%= took(7)
%= X = 7
%= Y = 1
%? item(a, 1), item(b, 1), take(X)
%= took(b)
%= X = b
%= item(a, 1)
%? item(X, 2), take(X)
%= item(X, 2)
%= take(X)
%? once_of(X, 1), once_of(2, Y)
%= X = 2
%= Y = 1
%= once_of(2, 1)
%? link(A, B)
%= A = f(_1)
%= link(f(_1), B)
%? link(f(1), B), hook(X, b)
%= X = g(_1)
%= link(f(1), B)
%= hook(g(_1), b)
%? twice(X, Y)
%= same
%= X = Y
%? twice(f(X), f(1)), twice(g(Y), g(Z)), X == 1, Y == Z
%= twice(f(1))
%= same
%= X = 1
%= Y = Z
%? mixed(X, Y)
%= mixed(X, Y)
%? split(X)
%= first
%= X = [0]
%? price(X), price(3)
%= X = f(_1)
%= price(3)
%= price(f(_1))
%? seen(_, Y), Y = 2
%= seen
%= Y = 2
%= seen(1, 2)
%? far(X), near(Y)
%= far
%= X = k(5)
%= Y = k(k(5))
%? count(A, B), count(C, D)
%= A = D
%= B = s(1)
%= C = 1
%? text(X)
%= text
%= X = "a"
%? size(N, [a, b])
%= N = 2
%? size(N, [a, b]), N == 2
%= N = 2
%? keep(k, X), ask(k, 2)
%= X = 1
%= keep(k, 1)
%? ask(k, 2), keep(k, X)
%= X = 1
%= keep(k, 1)
%? ask(k, Z), keep(k, X)
%= keep(k, X)
%= ask(k, Z)
%? pair(f(X), Y)
%= pair(f(X), Y)
%? pair(f(X), 2)
%= X = 1
%? box(X)
%= X = [_1|_2]
