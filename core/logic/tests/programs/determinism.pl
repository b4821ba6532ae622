% Predicates that must succeed once, `$/0` and `$/1`.
:- det(one/1).
:- det([chosen/2, grammar//0, none/0]).
:- det((first/1, committed/1)).

one(1).
one(2).
one(3).
chosen(X, Y) :- member(X-Y, [1-a, 2-b, 3-c]), X > 1, !.
first(X) :- member(X, [1, 2]), !.
committed(X), X > 1 => true.
committed(_) => fail.
grammar --> "a".
grammar --> "b", "c".
none :- \+ true, true.

guarded(X) :- member(X, [1, 2, 3]), $, X > 1, true.
cut_behind(X) :- $, member(X, [1, 2]), !.
in_branch(X) :- ( X > 1 -> $, X > 2, true ; true ), true.
in_branch(0).
last_of(X) :- member(X, [1, 2]), $ .
within(G) :- $(G).

sum([], 0).
sum([X|Xs], S) :- sum(Xs, S0), S is S0+X.
:- det(sum/2).

caught(G) :- catch(( G -> true ; writeln(no) ), error(E, _), ( E =.. [N, _, A, B, C], print([N, A, B, C]), nl )).

%? caught(one(1)), caught(one(3)), caught(one(4)), caught(one(_))
%= [determinism_error,det,fail,property]
%= [determinism_error,det,nondet,property]
%= true
%? caught(chosen(_, _)), caught(first(_)), caught(committed(2)), caught(committed(1)), caught(none)
%= [determinism_error,det,fail,property]
%= [determinism_error,det,fail,property]
%= true
%? caught(phrase(grammar, `bc`)), caught(phrase(grammar, `c`))
%= [determinism_error,det,fail,property]
%= true
%? catch(one(7), error(determinism_error(P, _, _, _), _), true)
%= P = one/1
%? caught(guarded(2)), caught(cut_behind(_)), caught(in_branch(1)), caught(in_branch(3)), last_of(X)
%= X = 1
%? catch(in_branch(2), error(determinism_error(_, D, F, W), _), true)
%= D = det
%= F = fail
%= W = guard
%? caught(within(member(_, [1, 2]))), caught(within(fail)), caught(within(true)), within(X = 1)
%= [determinism_error,det,nondet,goal]
%= [determinism_error,det,fail,goal]
%= X = 1
%? findall(S, ( numlist(1, 1000, L), sum(L, S) ), R)
%= R = [500500]
%? findall(X, catch(one(X), error(_, _), X = wrong), L)
%= L = [wrong]
