% The occurs check, types of variables that are bound later, determinism.
:- use_module(library(chr)).
:- chr_type color ---> red ; green.
:- chr_constraint c(?color), seen(?any).
same(X, X).
c(red) <=> seen(red).
checked(G) :-
    set_prolog_flag(occurs_check, true),
    ( call(G) -> R = yes ; R = no ),
    set_prolog_flag(occurs_check, false),
    R == yes.
%? checked((\+ X = f(X))), seen(1)
%= seen(1)
%? checked((\+ same(X, f(X, Y)))), seen(Y)
%= seen(Y)
%? checked((\+ f(X, Y) = f(g(Y), g(X))))
%= true
%? checked((X = f(Y))), Y = 1, seen(X)
%= X = f(1)
%= Y = 1
%= seen(f(1))
%? c(X), X = red
%= X = red
%= seen(red)
%? catch(( c(X), X = blue ), error(E, _), true)
%= E = type_error(color, blue)
%? $(seen(1))
%= seen(1)
