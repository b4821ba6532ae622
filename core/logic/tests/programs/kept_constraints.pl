% Constraints that a module does not export are shown with it, and those are its own.
:- module(stack, [push/1, pop/1, all/1]).
:- use_module(library(chr)).
:- chr_constraint push(+), pop(?), item(?, +), depth(+).
push(X), depth(N) # passive <=> M is N+1, item(M, X), depth(M).
pop(X), depth(N) # passive, item(N, Y) # passive <=> M is N-1, X = Y, depth(M).
all(L) :- findall(X, current_chr_constraint(X), L).
%? stack:depth(0), push(a), push(b)
%= stack:item(2, b)
%= stack:item(1, a)
%= stack:depth(2)
%? stack:depth(0), push(a), push(b), pop(X)
%= X = b
%= stack:item(1, a)
%= stack:depth(1)
%? push(a), pop(X)
%= push(a)
%= pop(X)
%? stack:depth(0), push(a), all(L)
%= L = [item(1, a), depth(1)]
%= stack:item(1, a)
%= stack:depth(1)
%? stack:depth(0), findall(X, find_chr_constraint(X), L)
%= L = [depth(0)]
%= stack:depth(0)
%? stack:item(X, 1), X = a, chr_show_store(stack)
%= item(a,1)
%= X = a
%= stack:item(a, 1)
