% once/1, ignore/1 and forall/2 of goals that are known when a clause is compiled: a cut in them is their own affair,
% variables are goals when they are called, and a body with a number in it is refused before it runs.
p(1).
p(2).
p(3).
first(X) :- once(p(X)).
cut_inside(X, Y) :- p(X), once((p(Y), Y > 1, !)).
cut_in_ignored(X) :- p(X), ignore((p(_), !, fail)).
cut_in_both(X) :- p(X), forall((p(Y), !), (Y =:= 1, !)).
all_less(N) :- forall(p(X), X < N).
none(L) :- forall(member(X, L), \+ p(X)).
nested(L) :- forall(member(X, L), forall(member(Y, L), (once(p(Y)), ignore(X = 0)))).
binds(X, Y) :- ignore(p(X)), ignore((p(Y), Y > 2)).
binds_nothing(X) :- forall(X = 1, true).
goal(G) :- once(G).
goals(C, A) :- forall(C, A).
branches(X) :- once(( X = 1, fail ; X = 2 ; X = 3 )).
conditional(X) :- p(X), once(( X > 1 -> true ; fail )).
refused(E) :- catch(forall((write(no), 1), true), error(E, _), true).
refused_once(E) :- catch(once((write(no), 1)), error(E, _), true).
unbound(E) :- catch(ignore((p(_), _)), error(E, _), true).
soft(X) :- once(( p(X) *-> X > 1 ; true )).

%? first(X)
%= X = 1
%? findall(X-Y, cut_inside(X, Y), L)
%= L = [1-2, 2-2, 3-2]
%? findall(X, cut_in_ignored(X), L)
%= L = [1, 2, 3]
%? findall(X, cut_in_both(X), L)
%= L = [1, 2, 3]
%? all_less(4), \+ all_less(3), none([4, 5]), \+ none([5, 3]), nested([1, 2])
%= true
%? findall(X-Y, binds(X, Y), L)
%= L = [1-3]
%? binds_nothing(X)
%= true
%? goal(p(X)), goals(p(Y), (p(Y), !))
%= X = 1
%? branches(X), findall(Y, conditional(Y), L)
%= X = 2
%= L = [2, 3]
%? refused(E)
%= E = type_error(callable, (write(no), 1))
%? refused_once(E)
%= E = type_error(callable, (write(no), 1))
%? unbound(E)
%= E = instantiation_error
%? soft(X)
%= X = 2
