% Clauses that are no clauses, bodies with variables, what may not be changed or looked at, and global variables.
:- use_module(library(chr)).
:- chr_constraint mark(?any).
:- dynamic g/1, h/0.
try(G) :- catch(G, E, true), ( var(E) -> true ; E = error(F, _) -> \+ \+ ( numbervars(F, 0, _), print(ball(F)), nl ) ; print(ball(E)), nl ).

%? try(assertz((foo :- X))), clause(foo, B), X = true
%= ball(instantiation_error)
%= the derivation failed
%? try(assertz((foo1(X) :- X))), try(foo1(true)), clause(foo1(Y), B), try(foo1(3)), try(foo1(_))
%= ball(type_error(callable,3))
%= ball(instantiation_error)
%= B = call(Y)
%? try(assertz((foo :- 1)))
%= ball(type_error(callable,1))
%= true
%? try(assertz((foo :- true, 1)))
%= ball(type_error(callable,(true,1)))
%= true
%? try(assertz((foo :- "text")))
%= ball(type_error(callable,"text"))
%= true
%? try(assertz((foo :- (true ; 2))))
%= ball(type_error(callable,(true;2)))
%= true
%? try(assertz((foo :- (true -> 2 ; true))))
%= ball(type_error(callable,(true->2;true)))
%= true
%? try(assertz((foo :- \+ 3)))
%= ball(type_error(callable,\+3))
%= true
%? try(assertz((foo :- findall(X, 3, L)))), try(foo)
%= ball(type_error(callable,3))
%= true
%? try(assertz((1 :- true)))
%= ball(type_error(callable,1))
%= true
%? try(assertz((X :- true)))
%= ball(instantiation_error)
%= true
%? try(assertz(X))
%= ball(instantiation_error)
%= true
%? try(assertz(3))
%= ball(type_error(callable,3))
%= true
%? try(assertz("s"))
%= ball(type_error(callable,"s"))
%= true
%? try(assertz((foo, bar)))
%= ball(permission_error(modify,static_procedure,(',')/2))
%= true
%? try(assertz((:- foo)))
%= true
%? try(assertz((?- foo)))
%= true
%? try(assertz((atom(X) :- true)))
%= ball(permission_error(modify,static_procedure,atom/1))
%= true
%? try(assertz((X = Y :- true)))
%= ball(permission_error(modify,static_procedure,(=)/2))
%= true
%? try(assertz((foo8 :- X, Y))), clause(foo8, B)
%= ball(type_error(callable,(A,B)))
%= the derivation failed
%? try(assertz((foo9 :- call(1)))), try(foo9)
%= ball(type_error(callable,1))
%= true
%? try(assertz((foo10 :- \+ X))), clause(foo10, B)
%= ball(type_error(callable,\+A))
%= the derivation failed
%? try(assertz((foo11 :- (X -> Y ; Z)))), clause(foo11, B)
%= ball(type_error(callable,(A->B;C)))
%= the derivation failed
%? try(asserta((foo12 :- !, fail))), try((foo12 ; true))
%= true
%? try(assertz((foo13(X) :- X = f(X)))), try(clause(foo13(_), B))
%= B = (_1=f(_1))
%? try(retract((foo14 :- X))), true
%= the derivation failed
%? try(assertz(g(1))), try(retract((g(X) :- true))), \+ g(_)
%= X = 1
%? try(retract((3 :- true)))
%= ball(type_error(callable,3))
%= true
%? try(retract((atom(_) :- true)))
%= ball(permission_error(modify,static_procedure,atom/1))
%= true
%? try(retractall(3))
%= ball(type_error(callable,3))
%= true
%? try(retractall(X))
%= ball(instantiation_error)
%= true
%? try(retractall(atom(_)))
%= ball(permission_error(modify,static_procedure,atom/1))
%= true
%? try(retractall(newpred(_))), try(newpred(_))
%= the derivation failed
%? try(clause(X, B))
%= ball(instantiation_error)
%= true
%? try(clause(3, B))
%= ball(type_error(callable,3))
%= true
%? try(clause(atom(_), B))
%= ball(permission_error(access,private_procedure,atom/1))
%= true
%? try(clause(unknown_thing, B))
%= the derivation failed
%? try(clause(g(_), 3))
%= the derivation failed
%? try(abolish(foo/a))
%= ball(type_error(integer,a))
%= true
%? try(abolish(atom/1))
%= ball(permission_error(modify,static_procedure,atom/1))
%= true
%? try(abolish(g/1))
%= true
%? try(nb_setval(X, 1))
%= ball(instantiation_error)
%= true
%? try(nb_setval(f(x), 1)), try(nb_getval(f(x), V))
%= ball(type_error(atom,f(x)))
%= ball(type_error(atom,f(x)))
%= true
%? try(nb_setval(1, one)), try(nb_getval(1, V))
%= ball(type_error(atom,1))
%= ball(type_error(atom,1))
%= true
%? try(nb_getval(nokey, V))
%= ball(existence_error(variable,nokey))
%= true
%? try(b_getval(nokey, V))
%= ball(existence_error(variable,nokey))
%= true
%? try(b_setval(k, f(X))), b_getval(k, V), X = 1
%= X = 1
%= V = f(1)
%? try(nb_setval(k, f(X))), nb_getval(k, V), X = 1
%= X = 1
%= V = f(_1)
%? nb_setval(k, 0), ( b_setval(k, 1), fail ; b_getval(k, V) )
%= V = 0
%? nb_setval(cnt, 0), ( between(1, 5, _), nb_getval(cnt, C), C1 is C + 1, nb_setval(cnt, C1), fail ; nb_getval(cnt, V) )
%= V = 5
%? b_setval(k2, a), nb_setval(k2, b), b_getval(k2, V)
%= V = b
%? nb_setval(acc, []), forall(member(X, [1,2,3]), ( nb_getval(acc, L), nb_setval(acc, [X|L]) )), nb_getval(acc, R)
%= R = [3, 2, 1]
%? nb_setval(kk, 1), findall(K, ( nb_current(K, _), K == kk ), L)
%= L = [kk]
%? try(nb_current(nokey, V))
%= the derivation failed
%? T = f(a), nb_setarg(1, T, b), T = f(X)
%= T = f(b)
%= X = b
%? T = f(a), ( nb_setarg(1, T, g(Y)), fail ; T = f(X) )
%= T = f(g(_1))
%= X = g(_1)
%? T = f(a), ( setarg(1, T, b), fail ; T = f(X) )
%= T = f(a)
%= X = a
%? T = f(a), try(setarg(0, T, b)), T = f(X)
%= the derivation failed
%? T = f(a), try(setarg(3, T, b))
%= the derivation failed
%? try(setarg(a, f(x), b))
%= ball(type_error(integer,a))
%= true
%? try(setarg(_, f(x), b))
%= ball(instantiation_error)
%= true
%? try(setarg(1, foo, b))
%= the derivation failed
%? try(setarg(1, _, b))
%= ball(instantiation_error)
%= true
%? try(nb_setarg(1, foo, b))
%= the derivation failed
%? T = counter(0), ( repeat, arg(1, T, N), N1 is N + 1, nb_setarg(1, T, N1), N1 >= 10, ! ), arg(1, T, X)
%= T = counter(10)
%= N = 9
%= N1 = X
%= X = 10
%? nb_setval(e, 1), try(b_setval(e, 2)), b_getval(e, V)
%= V = 2
%? b_setval(v1, X), X = 3, b_getval(v1, Y)
%= X = Y
%= Y = 3
%? try(b_setval(X, 1))
%= ball(instantiation_error)
%= true
%? try(nb_getval(X, 1))
%= ball(instantiation_error)
%= true
%? try(assertz((foo15(X) :- g(X), X))), assertz(g(mark(7))), try(foo15(_))
%= mark(7)
%? try(assertz((foo16(X) :- member(X, [fail, mark(8)]), (X -> true ; mark(9))))), try(foo16(_))
%= mark(9)
%? catch(catch(throw(a), _, 3), error(F, _), true)
%= F = type_error(callable, 3)
%? try(call((fail, 1)))
%= ball(type_error(callable,(fail,1)))
%= true
%? try(call((fail, \+ 1)))
%= ball(type_error(callable,(fail,\+1)))
%= true
%? try(call((fail, _)))
%= the derivation failed
