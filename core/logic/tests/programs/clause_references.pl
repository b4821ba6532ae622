% References to clauses of dynamic predicates.
:- dynamic stock/2.
stock(pear, 3).
stock(X, 0) :- X \== pear.
reset(L) :- retractall(stock(_, _)), forall(member(K-N, L), assertz(stock(K, N))).
forget(K) :- clause(stock(K, _), true, R), erase(R).
around(L, T, M) :- asserta(stock(z, 9), R), instance(R, T), keys(L), erase(R), keys(M), \+ erase(R).
keys(L) :- findall(K, stock(K, _), L).
by_reference(H, B) :- assert(stock(q, 1), R), clause(H, B, R), retract(stock(q, _)), \+ clause(_, _, R).
second(H, B) :- nth_clause(stock(_, _), 2, R), clause(H, B, R), nth_clause(stock(_, _), N, R), N == 2.

%? second(H, B)
%= H = stock(_1, 0)
%= B = (_1\==pear)
%? reset([a - 1, b - 2, c - 3]), forget(b), keys(L)
%= L = [a, c]
%? reset([a - 1]), around(L, T, M)
%= L = [z, a]
%= T = (stock(z, 9):-true)
%= M = [a]
%? by_reference(H, B)
%= H = stock(q, 1)
%= B = true
%? reset([]), catch(assertz(stock(q, 1), here), error(E, _), true), keys(L)
%= E = uninstantiation_error(here)
%= L = []
%? catch(erase(stock), error(E, _), true)
%= E = type_error(db_reference, stock)
