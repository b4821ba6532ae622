% What a binding wakes is done before a solution is taken.
:- use_module(library(chr)).
:- chr_constraint same/2, bit/1.

same(0, Y) <=> Y = 0.
same(1, Y) <=> Y = 1.
bit(X) <=> ( X = 0 ; X = 1 ).

%? findall(Y, (same(X, Y), X = 0), L)
%= L = [0]
%? findall(X-Y, (same(X, Y), bit(X)), L)
%= L = [0-0, 1-1]
%? same(X, Y), findall(Y, X = 1, L)
%= L = [1]
%= same(X, Y)
%? aggregate_all(max(Y), (same(X, Y), bit(X)), M)
%= M = 1
%? freeze(X, Y = woken), findall(Y, X = 1, L)
%= L = [woken]
%= freeze(X, Y=woken)
