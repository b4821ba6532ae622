% The constraints that a bare current_chr_constraint/1 finds are those of its module.
:- module(stack, [push/1, pop/1, all/1, item/2, depth/1]).
:- use_module(library(chr)).
:- chr_constraint push(+), pop(?), item(?, +), depth(+).
push(X), depth(N) # passive <=> M is N+1, item(M, X), depth(M).
pop(X), depth(N) # passive, item(N, Y) # passive <=> M is N-1, X = Y, depth(M).
all(L) :- findall(X, current_chr_constraint(X), L).
%? stack:depth(0), push(a), push(b)
%= item(2, b)
%= item(1, a)
%= depth(2)
%? stack:depth(0), push(a), push(b), pop(X)
%= X = b
%= item(1, a)
%= depth(1)
%? push(a), pop(X)
%= push(a)
%= pop(X)
%? stack:depth(0), push(a), all(L)
%= L = [item(1, a), depth(1)]
%= item(1, a)
%= depth(1)
%? stack:depth(0), findall(X, find_chr_constraint(X), L)
%= L = [depth(0)]
%= depth(0)
%? stack:item(X, 1), X = a, chr_show_store(stack)
%= item(a,1)
%= X = a
%= item(a, 1)
