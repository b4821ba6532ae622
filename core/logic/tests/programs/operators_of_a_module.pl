% Terms are written by the operators that a module exports; its others hold in its text only.
:- module(tasks, [before/2, start/1, op(700, xfx, before)]).
:- use_module(library(chr)).
:- op(700, xfx, after).
:- op(200, xfy, then).
:- chr_constraint before(?, ?), start(?).
A before B, start(A) ==> print(A then B), nl.
X before Y \ X before Y <=> true.
start(X) <=> X = (Y after Z), Y == Z | fail.
%? before(a, b), before(B, c), start(a)
%= then(a,b)
%= B before c
%= a before b
%= start(a)
%? before(X, Y), Y = after(1, 2)
%= Y = after(1, 2)
%= X before after(1, 2)
%? start(after(a, B))
%= start(after(a, B))
