% Clauses as a queue and as a stack: what is taken from either end costs the same however many there are.
:- dynamic item/1, pair/2.
fill(N) :- retractall(item(_)), forall(between(1, N, I), assertz(item(I))).
pop(N) :- between(1, N, _), once(retract(item(_))), fail.
pop(_).
rest(L) :- findall(X, item(X), L).
push(L) :- forall(member(X, L), asserta(item(X))).
turn(N) :- between(1, N, _), retract(item(X)), !, assertz(item(X)), M is N - 1, ( M > 0 -> turn(M) ; true ).

%? fill(6000), pop(5997), rest(L)
%= L = [5998, 5999, 6000]
%? fill(12), pop(3), push([a, b]), rest(L), retract(item(F)), !
%= L = [b, a, 4, 5, 6, 7, 8, 9, 10, 11, 12]
%= F = b
%? fill(6), findall(X, (retract(item(X)), assertz(item(new))), L), rest(R)
%= L = [1, 2, 3, 4, 5, 6]
%= R = [new, new, new, new, new, new]
%? fill(10), turn(4), rest(L)
%= L = [5, 6, 7, 8, 9, 10, 1, 2, 3, 4]
%? forall(member(K, [a, b, a, a, b]), assertz(pair(K, K))), retract(pair(a, _)), !, findall(K, pair(K, _), L)
%= L = [b, a, a, b]
%? fill(7), retract(item(X)), X > 6, !, rest(L)
%= X = 7
%= L = []
