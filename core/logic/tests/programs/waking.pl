% A binding wakes each constraint that contains the variable once.
:- use_module(library(chr)).
:- chr_constraint c(?any, ?any), log(?any).
c(X, Y) <=> nonvar(X), nonvar(Y) | log(X + Y).
both(X, Y) :- X = 1, Y = 2.

%? c(X, Y), c(Y, X), both(X, Y)
%= X = 1
%= Y = 2
%= log(2+1)
%= log(1+2)
%? c(X, X), both(X, _)
%= X = 1
%= log(1+1)
