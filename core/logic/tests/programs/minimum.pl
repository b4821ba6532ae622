% The least of values that arrive one after the other, some of them unknown.
:- use_module(library(chr)).
:- chr_constraint least(?any).
least(X) \ least(Y) <=> number(X), number(Y), X =< Y | true.
offer(X) :- least(X).

%? offer(3), offer(X), offer(5), X = 2
%= X = 2
%= least(2)
%? offer(3), offer(X)
%= least(X)
%= least(3)
