% Guards that nothing checks bind the variables of heads.
:- use_module(library(chr)).
:- chr_option(check_guard_bindings, off).
:- chr_constraint pick/1, sum/2, seen/1, rest/2.

pick(X) <=> colour(X) | seen(X).
sum(X, Y) <=> Y = s(X) | true.
rest(L, R) <=> L = [_|R] | true.
colour(red).
colour(blue).

% A guard that failed does not keep later bindings from waking its constraint.
:- chr_constraint apart/2.
apart(X, X) <=> fail.
apart(X, Y) <=> known(X), known(Y) | true.
known(X) :- ground(X).

%? pick(X)
%= X = red
%= seen(red)
%? pick(blue)
%= seen(blue)
%? sum(a, Y)
%= Y = s(a)
%? rest(L, [b])
%= L = [_1, b]
%? apart(X, Y), ( true ; true ), ( true ; true ), X = Y
%= the derivation failed
%? apart(X, Y), ( X = 1 ; X = 2 ), ( Y = 1 ; Y = 3 )
%= X = 1
%= Y = 3
