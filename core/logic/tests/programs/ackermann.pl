% Values of Ackermann's function are kept.
:- use_module(library(chr)).
:- chr_constraint ack(?any, ?any, ?any).
ack(X, Y, A) \ ack(X, Y, B) <=> A = B.
ack(0, Y, A) ==> A is Y + 1.
ack(X, 0, A) ==> X > 0 | Z is X - 1, ack(Z, 1, A).
ack(X, Y, A) ==> X > 0, Y > 0 | Z is Y - 1, ack(X, Z, B), W is X - 1, ack(W, B, A).
value(X, Y, A) :- ack(X, Y, A0), findall(A0, true, [A]).

%? \+ \+ ( value(2, 2, A), A =:= 7 )
%= true
