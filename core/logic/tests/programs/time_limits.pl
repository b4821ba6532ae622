% Limits of time and of steps that a program sets for goals: what is thrown, what is undone, limits within limits.
:- use_module(library(chr)).
:- use_module(library(time)).
:- chr_constraint held(?any), down(?int).
down(N) <=> N > 0 | M is N-1, down(M).
loop :- loop.
m(X) :- member(X, [1, 2, 3]).
count(0) :- !.
count(N) :- M is N-1, count(M).
try(G) :- catch(G, E, ( E = error(F, _) -> true ; F = E )), ( var(F) -> true ; write(ball(F)), nl ).
% A limit of steps, and what came of it.
steps(G, Most, R) :- call_with_inference_limit(G, Most, R).
both(A, B) :- setup_call_cleanup(true, loop, (write(A), nl)), write(B).

%? try(call_with_time_limit(0.05, loop))
%= ball(time_limit_exceeded)
%= true
%? call_with_time_limit(5, m(X))
%= X = 1
%? call_with_time_limit(5, m(X)), X == 2
%= the derivation failed
%? try(call_with_time_limit(0, true))
%= ball(time_limit_exceeded)
%= true
%? try(call_with_time_limit(-1, true))
%= ball(time_limit_exceeded)
%= true
%? try(call_with_time_limit(a, true))
%= ball(type_error(evaluable,a/0))
%= true
%? try(call_with_time_limit(_, true))
%= ball(instantiation_error)
%= true
%? try(call_with_time_limit(1, 3))
%= ball(type_error(callable,3))
%= true
%? try(call_with_time_limit(0.05, catch(loop, time_limit_exceeded, (write(inner), nl))))
%= inner
%= true
%? try(call_with_time_limit(0.05, call_with_time_limit(5, loop)))
%= ball(time_limit_exceeded)
%= true
%? try(call_with_time_limit(5, call_with_time_limit(0.05, loop)))
%= ball(time_limit_exceeded)
%= true
%? call_with_time_limit(5, catch(call_with_time_limit(0.05, loop), E, true))
%= E = time_limit_exceeded
%? try(call_with_time_limit(0.05, both(cleaned, not_reached)))
%= cleaned
%= ball(time_limit_exceeded)
%= true
%? findall(X, call_with_time_limit(0.05, (X = 1 ; loop)), L)
%= L = [1]
%? findall(X, (member(X, [1, 2, 3]), catch(call_with_time_limit(0.05, (X =:= 2 -> repeat, fail ; true)), time_limit_exceeded, fail)), L)
%= L = [1, 3]
%? call_with_time_limit(1, fail)
%= the derivation failed
%? try(call_with_time_limit(1, throw(x)))
%= ball(x)
%= true
%? held(1), catch(call_with_time_limit(0.05, (held(2), loop)), time_limit_exceeded, true)
%= held(1)
%? held(X), catch(call_with_time_limit(0.05, (X = 1, held(X), loop)), time_limit_exceeded, true), findall(Q, find_chr_constraint(held(Q)), L), length(L, N)
%= L = [_1]
%= N = 1
%= held(X)
%? b_setval(v, 1), nb_setval(w, 1), catch(call_with_time_limit(0.05, (b_setval(v, 2), nb_setval(w, 2), loop)), _, true), b_getval(v, V), nb_getval(w, W)
%= V = 1
%= W = 2
%? try(call_with_time_limit(0.05, (repeat, fail)))
%= ball(time_limit_exceeded)
%= true
%? try(call_with_time_limit(0.05, forall(repeat, atom_codes(_, "abc"))))
%= ball(time_limit_exceeded)
%= true
%? numlist(1, 100000, L), try(call_with_time_limit(0.05, (repeat, copy_term(L, M), msort(M, _), fail))), length(L, N), L = []
%= ball(time_limit_exceeded)
%= the derivation failed
%? alarm(0.05, throw(late), Id), try(loop), remove_alarm(Id), Id = x
%= ball(late)
%= the derivation failed
%? catch((alarm(0.05, (write(rang), nl, throw(late)), Id, [install(false)]), install_alarm(Id), loop), E, true)
%= rang
%= E = late
%? alarm(0.01, throw(late), Id), uninstall_alarm(Id), count(100000), remove_alarm(Id), Id = x
%= the derivation failed
%? try(alarm(a, true, _))
%= ball(type_error(number,a))
%= true
%? steps(true, 1000, R)
%= R = !
%? steps(m(_), 1000, R)
%= R = true
%? steps(fail, 1000, R)
%= the derivation failed
%? try(steps(throw(a), 1000, _))
%= ball(a)
%= true
%? steps(count(1000000), 1000, R)
%= R = inference_limit_exceeded
%? steps(count(100), 1000, R)
%= R = !
%? findall(X-R, steps(m(X), 1000, R), L)
%= L = [1-true, 2-true, 3-!]
%? findall(X-R, steps((X = 1 ; count(10000), X = 2), 1000, R), [X1, _-R2])
%= X1 = 1-true
%= R2 = inference_limit_exceeded
%? steps(steps(count(100000), 100000000, R1), 1000, R2)
%= R1 = inference_limit_exceeded
%= R2 = !
%? steps((steps(count(100000), 100000000, R1), count(1000)), 1000, R2)
%= R2 = inference_limit_exceeded
%? steps(steps(count(100000), 1000, R1), 10000000, R2)
%= R1 = inference_limit_exceeded
%= R2 = !
%? steps((steps(count(100000), 1000, R1), count(10)), 10000000, R2)
%= R1 = inference_limit_exceeded
%= R2 = !
%? steps(catch(count(1000000), _, true), 1000, R)
%= R = !
%? try(steps(true, a, _))
%= ball(type_error(integer,a))
%= true
%? try(steps(true, _, _))
%= ball(instantiation_error)
%= true
%? try(steps(true, -5, _))
%= ball(domain_error(not_less_than_zero,-5))
%= true
%? steps((held(3), count(100000)), 1000, R)
%= R = inference_limit_exceeded
%? steps((X = 1, count(100000)), 1000, R), var(X)
%= R = inference_limit_exceeded
%? steps(down(100000), 1000, R)
%= R = inference_limit_exceeded
%? steps(m(X), 1000, R), count(100000), X == 2
%= X = 2
%= R = true
%? steps(m(X), 1000, R), count(100000), X == 3
%= X = 3
%= R = !
%? steps(true, 1000, true)
%= the derivation failed
%? steps(m(_), 1000, !)
%= true
%? steps(count(10000), 100, other)
%= the derivation failed
%? steps(throw(inference_limit_exceeded), 100, R)
%= R = inference_limit_exceeded
