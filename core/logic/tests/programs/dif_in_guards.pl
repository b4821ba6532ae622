% A guard that tells variables of heads to be different is kept by what it leaves: the constraint of dif/2.
:- use_module(library(chr)).
:- chr_constraint q/2, r/2, s/2, t/2, u/2, done/1.

q(X, Y) <=> dif(X, Y) | r(X, Y).
s(X, Y) ==> neq(X, Y) | done(X).
t(X, Y), u(Y, Z) <=> (dif(X, Z), true) | r(X, Z).

neq(X, Y) :- dif(X, Y).

%? q(X, Y), X = 1, Y = 2
%= X = 1
%= Y = 2
%= r(1, 2)
%? q(X, Y), X = Y
%= the derivation failed
%? s(X, Y), Y = X
%= the derivation failed
%? q(f(A, 1), f(2, B)), A = 3
%= A = 3
%= r(f(3, 1), f(2, B))
%? t(X, Y), u(Y, Z), X = Z
%= the derivation failed
%? q(a, a)
%= q(a, a)
%? q(a, b)
%= r(a, b)
