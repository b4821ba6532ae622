% Copies share what has no variables; they take the goals that variables wait for along.
changed_copy(C) :- T = f(1), copy_term(T, C), setarg(1, T, 2).
changed_part(A) :- T = g(f(1), _), copy_term(T, g(A, _)), arg(1, T, P), setarg(1, P, 2).
last(T) :- T = f(1), foreach(member(X, [5, 6]), setarg(1, T, X)).
global(T) :- T = f(1), maplist({T}/[X]>>setarg(1, T, X), [5, 6]).
free(T) :- T = f(1), maplist([X]>>setarg(1, T, X), [5, 6]).
kept(C) :- T = f(1), findall(T, true, [C]), setarg(1, T, 2).
duplicated(C) :- T = f(1, X, X), duplicate_term(T, C), setarg(1, T, 2).
stored(C) :- T = f(1), b_setval(cell, T), setarg(1, T, 2), b_getval(cell, C).
outside(C) :- T = f(1), nb_setval(cell, T), setarg(1, T, 2), nb_getval(cell, C).
cycle(C) :- X = f(X, g(1)), copy_term(X, Y), Y = f(Z, G), ( Z == Y -> C = G ; C = no ).

frozen_copy(G) :- freeze(X, true), copy_term(X, _, G).
different_copy(Y, G) :- dif(X, a), dif(X, b), copy_term(X, Y, G).
waiting_copy(Y, Z, G) :- when(ground(X+W), true), copy_term(X-W, Y-Z, G).
all_goals(X, G) :- dif(X, a), freeze(X, b), when(nonvar(X), c), frozen(X, G), G = (_, _), del_attr(X, dif), del_attr(X, freeze), del_attr(X, when).
inner(V) :- put_attr(X, color, near(Z)), put_attr(Z, color, red), copy_term(X, Y), get_attr(Y, color, near(W)), get_attr(W, color, V).
attributed(N) :- put_attr(X, color, near(Z)), put_attr(Z, color, red), term_attvars(f(X, X), L), length(L, N).
attr_unify_hook(_, _).

:- use_module(library(dialect/sicstus)).
:- block positive(-), sum(-, -, ?), sum(-, ?, -), sum(?, -, -).
positive(X) :- X > 0.
sum(X, Y, Z) :- nonvar(X), nonvar(Y), !, Z is X+Y.
sum(X, Y, Z) :- nonvar(X), !, Y is Z-X.
sum(X, Y, Z) :- X is Z-Y.
:- block later(-).
later(X) :- write(X), nl.

%? changed_copy(C)
%= C = f(2)
%? changed_part(A)
%= A = f(2)
%? last(T)
%= T = f(6)
%? global(T)
%= T = f(6)
%? free(T)
%= T = f(6)
%? kept(C)
%= C = f(1)
%? duplicated(C)
%= C = f(1, _1, _1)
%? stored(C)
%= C = f(2)
%? outside(C)
%= C = f(1)
%? cycle(C)
%= C = g(1)
%? frozen_copy([freeze(_, G)])
%= G = user:true
%? different_copy(Y, G)
%= G = [dif(Y, a), dif(Y, b)]
%? waiting_copy(Y, Z, G)
%= G = [when(ground(Y+Z), user:true)]
%? all_goals(X, G)
%= G = (dif(X, a), freeze(X, user:b), when(nonvar(X), user:c))
%? inner(V)
%= V = red
%? attributed(N)
%= N = 2
%? positive(X)
%= positive(X)
%? positive(X), X = 1
%= X = 1
%? positive(X), X = 0
%= the derivation failed
%? sum(X, 2, Z)
%= sum(X, 2, Z)
%= sum(X, 2, Z)
%? sum(X, 2, Z), Z = 5
%= X = 3
%= Z = 5
%? sum(X, Y, Z), X = 1, Y = 2
%= X = 1
%= Y = 2
%= Z = 3
%? later(X), later(Y), X = Y
%= X = Y
%= later(Y)
%= later(Y)
%? later(X), later(Y), X = Y, X = 1
%= 1
%= 1
%= X = Y
%= Y = 1
%? later(X), freeze(X, (write(frozen), nl)), X = 1
%= 1
%= frozen
%= X = 1
