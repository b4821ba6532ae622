% Clauses that change while they are called, few and many, with and without erased ones.
:- use_module(library(chr)).
:- chr_constraint c(?any).
:- dynamic f/1, g/2.
t(L) :- retractall(f(_)), forall(between(1, 12, X), assertz(f(X))), findall(X, (f(X), (X =:= 3 -> retract(f(5)), asserta(f(0)) ; true)), L).
u(L) :- retractall(g(_, _)), assertz(g(a, 1)), assertz(g(b, 2)), assertz(g(_, 3)), retract(g(b, _)), assertz(g(b, 4)), asserta(g(b, 0)), findall(X, g(b, X), L).
v(L) :- retractall(f(_)), assertz(f(1)), assertz(f(2)), retract(f(1)), retract(f(2)), assertz(f(3)), assertz(f(4)), findall(X, f(X), L).
w(L) :- retractall(f(_)), assertz(f(1)), findall(X, (f(X), X < 20, Y is X+1, assertz(f(Y))), L0), findall(X, f(X), L1), L = L0-L1.
x(L) :- retractall(f(_)), numlist(1, 9, Ns), forall(member(N, Ns), assertz(f(N))), forall(member(N, [1,2,3,4,5,6]), retract(f(N))), assertz(f(7)), asserta(f(a)), findall(X, f(X), L0), findall(k, f(7), L1), L = L0-L1.

%? t(L)
%= L = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
%? u(L)
%= L = [0, 3, 4]
%? v(L)
%= L = [3, 4]
%? w(L)
%= L = [1]-[1, 2]
%? x(L)
%= L = [a, 7, 8, 9, 7]-[k, k]
:- dynamic insect/1, seen_insect/1.
view(L) :-
    retractall(insect(_)), retractall(seen_insect(_)), assertz(insect(ant)), assertz(insect(bee)),
    ( retract(insect(I)), assertz(seen_insect(I)), retract(insect(bee)), fail ; findall(I, retract(seen_insect(I)), L) ).

%? view(L)
%= L = [ant, bee]
