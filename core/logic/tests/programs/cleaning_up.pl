% When a goal that is cleaned up after is over, why, and in which order.
:- use_module(library(chr)).
:- chr_constraint held(?any).
m(X) :- member(X, [1, 2, 3]).
k(G, K, C) :- setup_call_catcher_cleanup(true, G, K, C).
over(K) :- write(over(K)), nl.
try(G) :- catch(G, E, ( E = error(F, _) -> true ; F = E )), ( var(F) -> true ; write(ball(F)), nl ).
nested(0) :- !, write(bottom), nl.
nested(N) :- M is N-1, k(nested(M), K, over(N-K)).
first(X, Y) :- k(m(X), _, (var(Y), over(open))), !, Y = X, write(body(X, Y)), nl.
waits(X, Y, Z) :- freeze(X, big(Y)), pair(Z, Q), X = 1, held(Q), Z = f(Y).
pair(_, p(_, _)).
big(Y) :- numlist(1, 10, L), length(L, Y).

%? k(true, K, over(K))
%= over(exit)
%= K = exit
%? k(fail, K, over(K))
%= over(fail)
%= the derivation failed
%? try(k(throw(a), K, over(K)))
%= over(exception(a))
%= ball(a)
%= true
%? k(m(X), K, over(K)), write(X), nl, X == 2, !
%= 1
%= 2
%= over(!)
%= X = 2
%= K = !
%? k(m(X), K, over(K)), X == 3
%= over(exit)
%= X = 3
%= K = exit
%? k(m(X), K, over(K)), X == 4
%= over(exit)
%= the derivation failed
%? try((k(m(X), K, over(K)), write(X), nl, throw(out)))
%= 1
%= over(external_exception(out))
%= ball(out)
%= true
%? once(k(m(_), K, over(K)))
%= over(!)
%= K = !
%? \+ k(m(_), K, over(K))
%= over(!)
%= the derivation failed
%? k(m(_), K, over(K)) -> write(then), nl ; write(else), nl
%= over(!)
%= then
%= K = !
%? findall(X, k(m(X), K, over(K)), L)
%= over(exit)
%= L = [1, 2, 3]
%? k(true, K, X = 1)
%= K = exit
%= X = 1
%? setup_call_cleanup(S = 1, G = 2, C = 3)
%= S = 1
%= G = 2
%= C = 3
%? try(setup_call_cleanup(true, throw(goal), throw(cleanup)))
%= ball(goal)
%= true
%? try(setup_call_cleanup(true, true, throw(cleanup)))
%= ball(cleanup)
%= true
%? try(setup_call_cleanup(true, fail, throw(cleanup)))
%= ball(cleanup)
%= true
%? try((setup_call_cleanup(true, m(_), throw(cleanup)), !, write(not_reached)))
%= ball(cleanup)
%= true
%? k(true, fail, over(never))
%= true
%? k(m(X), exit, over(x)), X == 3
%= over(x)
%= X = 3
%? k(m(_), _, over(1)), k(m(_), _, over(2)), !, write(after), nl
%= over(2)
%= over(1)
%= after
%= true
%? k(k(m(_), K1, over(in(K1))), K2, over(out(K2))), !, write(after), nl
%= over(in(!))
%= over(out(!))
%= after
%= K1 = K2
%= K2 = !
%? try((k(k(m(_), K1, over(in(K1))), K2, over(out(K2))), throw(x)))
%= over(in(external_exception(x)))
%= over(out(external_exception(x)))
%= ball(x)
%= true
%? try(k((k(m(_), K1, over(in(K1))), throw(x)), K2, over(out(K2))))
%= over(in(external_exception(x)))
%= over(out(exception(x)))
%= ball(x)
%= true
%? try(k(k(throw(x), K1, over(in(K1))), K2, over(out(K2))))
%= over(in(exception(x)))
%= over(out(exception(x)))
%= ball(x)
%= true
%? setup_call_cleanup(fail, over(goal), over(cleanup))
%= the derivation failed
%? try(setup_call_cleanup(throw(setup), over(goal), over(cleanup)))
%= ball(setup)
%= true
%? setup_call_cleanup(m(X), over(X), over(cleanup(X)))
%= over(1)
%= over(cleanup(1))
%= X = 1
%? try(setup_call_cleanup(write(s), over(goal), _))
%= sball(instantiation_error)
%= true
%? try(setup_call_cleanup(true, _, over(cleanup)))
%= over(cleanup)
%= ball(instantiation_error)
%= true
%? try(setup_call_cleanup(true, over(goal), 3))
%= ball(type_error(callable,3))
%= true
%? try(setup_call_cleanup(true, 3, over(cleanup)))
%= over(cleanup)
%= ball(type_error(callable,3))
%= true
%? try(setup_call_cleanup(true, (m(1), 3), over(cleanup)))
%= over(cleanup)
%= ball(type_error(callable,(m(1),3)))
%= true
%? setup_call_cleanup(true, m(X), (over(X), fail)), !
%= over(1)
%= X = 1
%? call_cleanup(m(X), over(x)), write(X), nl, !
%= 1
%= over(x)
%= X = 1
%? call_cleanup(m(X), K, over(K)), !
%= over(!)
%= X = 1
%= K = !
%? forall(k(m(X), K, over(K)), (write(X), nl))
%= 1
%= 2
%= over(exit)
%= 3
%= true
%? try((catch(k(m(X), K, over(K)), _, true), write(X), nl, throw(e)))
%= 1
%= over(external_exception(e))
%= ball(e)
%= true
%? try((k(catch(m(X), _, true), K, over(K)), write(X), nl, throw(e)))
%= 1
%= over(external_exception(e))
%= ball(e)
%= true
%? k((m(X), X >= 3), K, over(K))
%= over(exit)
%= X = 3
%= K = exit
%? k((!, m(X)), K, over(K)), !
%= over(!)
%= X = 1
%= K = !
%? k((m(X), X > 1, !), K, over(K-X))
%= over(exit-2)
%= X = 2
%= K = exit
%? k(m(X), K, over(K)), ignore(fail), X >= 2 -> write(yes(X)), nl ; true
%= over(!)
%= yes(2)
%= X = 2
%= K = !
%? k(m(X), K, over(K)) *-> write(X), nl, X == 3 ; true
%= 1
%= 2
%= over(exit)
%= 3
%= X = 3
%= K = exit
%? nested(3)
%= bottom
%= over(1-exit)
%= over(2-exit)
%= over(3-exit)
%= true
%? first(X, Y), write(X-Y), nl
%= over(open)
%= body(1,1)
%= 1-1
%= X = Y
%= Y = 1
%? setup_call_cleanup(true, m(X), (m(Y), over(Y))), !
%= over(1)
%= X = Y
%= Y = 1
%? findall(X, limit(2, k(m(X), K, over(K))), L)
%= over(!)
%= L = [1, 2]
%? b_setval(v, 1), k(m(_), K, (b_getval(v, V), over(K-V))), b_setval(v, 2), fail
%= over(exit-1)
%= the derivation failed
%? try(setup_call_cleanup(true, (over(goal), throw(a)), (over(c), throw(b))))
%= over(goal)
%= over(c)
%= ball(a)
%= true
%? try((setup_call_cleanup(true, m(_), (over(c), throw(b))), throw(a)))
%= over(c)
%= ball(a)
%= true
%? try((setup_call_cleanup(true, m(X), (over(c), throw(b))), X > 3))
%= over(c)
%= ball(b)
%= true
%? try((catch(setup_call_cleanup(true, m(_), throw(b)), _, true), !))
%= ball(b)
%= true
%? try((k(m(_), _, over(1)), k(m(_), _, (over(2), throw(b))), !))
%= over(2)
%= over(1)
%= ball(b)
%= true
%? try((k(m(_), _, (over(1), throw(a))), k(m(_), _, (over(2), throw(b))), !))
%= over(2)
%= over(1)
%= ball(b)
%= true
%? try(setup_call_cleanup(true, setup_call_cleanup(true, throw(a), throw(b)), throw(c)))
%= ball(a)
%= true
%? held(1), k((held(2), m(X)), K, (findall(A, find_chr_constraint(held(A)), L), over(K-L))), X == 2, !
%= over(!-[2,1])
%= X = 2
%= K = !
%= L = [2, 1]
%= held(2)
%= held(1)
%? held(1), try(k((held(2), throw(a)), K, (findall(A, find_chr_constraint(held(A)), L), over(K-L))))
%= over(exception(a)-[1])
%= ball(a)
%= held(1)
%? waits(X, Y, Z)
%= X = 1
%= Y = 10
%= Z = f(10)
%= held(p(_1, _2))
