% Goals that wait for variables.
:- use_module(library(lists)).

%? freeze(X, Y = woken), X = 1
%= X = 1
%= Y = woken
%? when(ground(X + Y), Z is X + Y), X = 1, Y = 2
%= X = 1
%= Y = 2
%= Z = 3
%? freeze(X, fail), \+ X = 1
%= freeze(X, fail)
