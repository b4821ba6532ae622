% Attributes of a program, and what it shows for them.
:- module(range, [between_both/3, mark/1]).
:- use_module(library(chr)).
between_both(X, L, H) :- put_attr(Y, range, L-H), X = Y.
mark(X) :- put_attr(X, silent, yes).
attr_unify_hook(L-H, Y) :-
    (   get_attr(Y, range, L1-H1)
    ->  L2 is max(L, L1), H2 is min(H, H1), L2 =< H2, put_attr(Y, range, L2-H2)
    ;   var(Y) -> put_attr(Y, range, L-H)
    ;   Y >= L, Y =< H
    ).
attribute_goals(X) --> { get_attr(X, range, L-H) }, [X >= L, X =< H].
%? between_both(X, 1, 5)
%= X>=1
%= X=<5
%? between_both(X, 1, 5), between_both(X, 3, 8)
%= X>=3
%= X=<5
%? between_both(X, 1, 5), X = 7
%= the derivation failed
%? between_both(X, 1, 5), X = 4
%= X = 4
%? between_both(X, 1, 2), Y = f(X, Z), freeze(Z, true)
%= Y = f(X, Z)
%= X>=1
%= X=<2
%= freeze(Z, true)
%? between_both(X, 1, 2), copy_term(X, Y, G)
%= G = [Y>=1, Y=<2]
%= X>=1
%= X=<2
%? mark(X)
%= put_attr(X, silent, yes)
%? mark(X), between_both(X, 0, 1), dif(X, 0)
%= put_attr(X, silent, yes)
%= X>=0
%= X=<1
%= dif(X, 0)
