% Variables of the program that backtracking keeps, or takes back.
count(N) :- nb_setval(c, 0), forall(between(1, N, _), bump), nb_getval(c, N).
bump :- nb_getval(c, X), Y is X + 1, nb_setval(c, Y).
back(V) :- b_setval(v, 1), ( b_setval(v, 2), fail ; b_getval(v, V) ).

%? count(5)
%= true
%? back(V)
%= V = 1
