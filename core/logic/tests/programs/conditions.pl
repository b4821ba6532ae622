% Goals that wait: what is left of their conditions, in which order they run, and how answers show them.
:- use_module(library(chr)).
:- chr_constraint sum(?, ?, ?).
sum(X, Y, Z) <=> when((nonvar(X), nonvar(Y) ; nonvar(X), nonvar(Z) ; nonvar(Y), nonvar(Z)), known(X, Y, Z)).
known(X, Y, Z) :- var(Z), !, Z is X+Y.
known(X, Y, Z) :- var(Y), !, Y is Z-X.
known(X, Y, Z) :- var(X), !, X is Z-Y.
known(X, Y, Z) :- Z =:= X+Y.
say(X) :- write(X), nl.
%? sum(X, Y, Z)
%= when((nonvar(X), nonvar(Z);nonvar(Y), nonvar(Z);nonvar(X), nonvar(Y)), known(X, Y, Z))
%? sum(1, Y, Z)
%= when((nonvar(Z);nonvar(Y), nonvar(Z);nonvar(Y)), known(1, Y, Z))
%? sum(1, Y, Z), Z = 5
%= Y = 4
%= Z = 5
%? sum(X, Y, Z), Z = 5, X = 3
%= X = 3
%= Y = 2
%= Z = 5
%? when((nonvar(A) ; nonvar(B) ; nonvar(C) ; nonvar(D)), true)
%= when((nonvar(C);nonvar(D);nonvar(B);nonvar(A)), true)
%? when(((nonvar(A) ; nonvar(B)) ; nonvar(C)), true)
%= when((nonvar(A);nonvar(B);nonvar(C)), true)
%? when((nonvar(X), ground(Y)), say(both)), X = 1
%= X = 1
%= when(ground(Y), say(both))
%? when((nonvar(X), ground(Y)), say(both)), Y = f(Z)
%= Y = f(Z)
%= when((nonvar(X), ground(f(Z))), say(both))
%? when((nonvar(X) ; ground(Y)), say(one)), Y = f(Z), X = 1, Z = 2
%= one
%= X = 1
%= Y = f(2)
%= Z = 2
%? when(nonvar(X), say(a)), when(nonvar(Y), say(b)), when(nonvar(X), say(c)), X = Y, X = 1
%= b
%= a
%= c
%= X = Y
%= Y = 1
%? when((nonvar(A), nonvar(B)), say(1)), when(nonvar(B), say(2)), when((nonvar(B), nonvar(A)), say(3)), A = 1, B = 2
%= 2
%= 3
%= 1
%= A = 1
%= B = 2
%? when(?=(X, Y), say(1)), when(?=(Y, Z), say(2)), X = Y, Z = 3
%= 1
%= X = Y
%= Z = 3
%= when(?=(Y, 3), say(2))
%? when(?=(X, Y), say(1)), X = f(Z), Y = f(W), Z = W
%= 1
%= X = Y
%= Y = f(W)
%= Z = W
%? when(ground(f(A, B)), say(g)), A = 1
%= A = 1
%= when(ground(f(1, B)), say(g))
%? when(ground(f(A, B)), say(g)), B = 1, A = 2
%= g
%= A = 2
%= B = 1
%? when((nonvar(a), nonvar(b)), say(now))
%= now
%= true
%? when((ground(X), nonvar(Y)), say(x)), X = g(Y), Y = 1
%= x
%= X = g(1)
%= Y = 1
%? catch(when(_, true), error(E, _), true)
%= E = instantiation_error
%? catch(when(foo(_), true), error(E, _), true)
%= E = domain_error(when_condition, foo(_1))
%? dif(f(X, Y), f(1, 2))
%= dif(f(X, Y), f(1, 2))
%? dif(f(X, Y), f(1, 2)), X = 1
%= X = 1
%= dif(Y, 2)
%? dif(f(X, Y), f(1, 2)), X = 2
%= X = 2
%? dif(f(Y), X)
%= dif(X, f(Y))
%? dif([X, Y], [a|T])
%= dif(f(X, T), f(a, [Y]))
%? dif(f(A, B), f(C, D))
%= dif(f(C, D), f(A, B))
%? dif(g(X, Y, Z), g(1, 2, 3)), Y = 2
%= Y = 2
%= dif(f(X, Z), f(1, 3))
%? dif(X, Y), dif(Y, Z), X = Z
%= X = Z
%= dif(Z, Y)
%= dif(Y, Z)
%? dif(f(X, X), f(Y, 1)), X = 1
%= X = 1
%= dif(Y, 1)
