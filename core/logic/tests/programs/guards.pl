% Constraints in guards, and variables that guards would bind.
:- use_module(library(chr)).
:- chr_constraint ready/0, want/1, got/1, known/1, need/1, token/1, pair/2.

known(1) <=> true.
token(X), token(X) <=> true.
want(X) <=> known(X) | got(X).
need(X) <=> token(X) | got(X).
pair(X, Y) <=> X = Y | got(X).
ready, got(X) <=> true.

%? want(1)
%= got(1)
%? want(2)
%= got(2)
%= known(2)
%? want(X)
%= want(X)
%? need(X)
%= need(X)
%? need(a)
%= got(a)
%= token(a)
%? pair(X, 1)
%= pair(X, 1)
%? pair(X, Y), X = Y
%= X = Y
%= got(Y)
