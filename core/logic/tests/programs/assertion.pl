% Clauses that come and go while a program runs.
:- dynamic counter/1.
counter(0).
tick :- retract(counter(N)), M is N + 1, assertz(counter(M)).

%? tick, tick, counter(X)
%= X = 2
%? retractall(counter(_)), \+ counter(_)
%= true
