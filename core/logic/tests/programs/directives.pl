#!/usr/bin/env swipl
% Goals of a directive share variables; one that nothing defines, or that does not hold, keeps nothing from running.
:- use_module(library(chr)).
:- dynamic limit/1.
:- chr_constraint count(?).
:- X = 3, Y is X*2, assertz(limit(Y)).
:- nothing_defines_this(1).
:- X = 4, X > 5, assertz(limit(X)).
count(N) <=> limit(M), N < M | K is N+1, count(K).
%? count(0)
%= count(6)
%? findall(X, limit(X), L)
%= L = [6]
