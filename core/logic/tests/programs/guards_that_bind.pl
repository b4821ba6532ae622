% Guards that nothing checks bind the variables of heads.
:- use_module(library(chr)).
:- chr_option(check_guard_bindings, off).
:- chr_constraint pick/1, sum/2, seen/1, rest/2.

pick(X) <=> colour(X) | seen(X).
sum(X, Y) <=> Y = s(X) | true.
rest(L, R) <=> L = [_|R] | true.
colour(red).
colour(blue).

%? pick(X)
%= X = red
%= seen(red)
%? pick(blue)
%= seen(blue)
%? sum(a, Y)
%= Y = s(a)
%? rest(L, [b])
%= L = [_1, b]
