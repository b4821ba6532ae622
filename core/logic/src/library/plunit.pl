% Tests (library(plunit)). The frontend makes a fact '$test'(Unit, Name, Options, Body) of each clause of test/1,2. A run
% takes back what the tests bind and add to the store.

run_tests :- '$run_tests'(_).
run_tests(Spec) :- '$run_tests'(Spec).
run_tests(Spec, _) :- '$run_tests'(Spec).
'$run_tests'(Spec) :-
    findall(t(U, N, R), '$test_tried'(Spec, U, N, R), Rs), '$test_lines'(Rs, 0, Failed), '$length'(Rs, N),
    ( Failed =:= 0 -> format(user_error, '% All ~d tests passed~n', [N]) ; format(user_error, '% ~d of ~d tests failed~n', [Failed, N]), fail ).
'$test_lines'([], N, N).
'$test_lines'([t(U, Name, R)|Rs], N0, N) :-
    ( R = failed(Why) -> N1 is N0+1, format(user_error, '% test ~q:~q: ~w~n', [U, Name, Why]) ; N1 = N0 ),
    '$test_lines'(Rs, N1, N).
'$test_tried'(Spec, U, N, R) :-
    catch('$test'(U, N, O, B), error(existence_error(procedure, '$test'/4), _), fail),
    '$test_chosen'(Spec, U, N), '$test_options'(O, Os), '$test_runs'(Os, B, R).
'$test_chosen'(Spec, _, _) :- var(Spec), !.
'$test_chosen'([S|Ss], U, N) :- !, ( '$test_chosen'(S, U, N) -> true ; '$test_chosen'(Ss, U, N) ).
'$test_chosen'(U:Names, U, N) :- !, ( is_list(Names) -> memberchk(N, Names) ; N = Names ).
'$test_chosen'(U, U, _).
'$test_options'(O, Os) :- ( is_list(O) -> Os = O ; Os = [O] ).
'$test_runs'(Os, _, skipped) :- ( memberchk(blocked(_), Os) ; memberchk(fixme(_), Os) ), !.
'$test_runs'(Os, _, skipped) :- memberchk(condition(C), Os), \+ catch(C, _, fail), !.
'$test_runs'(Os, B, R) :-
    ( memberchk(forall(G), Os) -> call(G) ; true ),
    ( memberchk(setup(S), Os) -> once(S) ; true ),
    '$test_result'(Os, B, R),
    ( memberchk(cleanup(C), Os) -> ignore(C) ; true ).
'$test_result'(Os, B, R) :- '$test_wanted'(O, Os), !, '$test_ends'(O, B, R).
'$test_result'(Os, B, R) :- '$test_ran'(B, How), ( How == true -> '$test_checked'(Os, R) ; R = failed(How) ).
'$test_wanted'(O, Os) :- '$element'(O, Os), nonvar(O), memberchk(O, [fail, false, throws(_), exception(_), error(_), error(_, _), all(_), set(_), bag(_)]), !.
'$test_ran'(B, How) :- catch(( call(B) -> How = true ; How = failed ), E, How = threw(E)).
'$test_ends'(fail, B, R) :- '$test_ran'(B, How), ( How == failed -> R = passed ; How == true -> R = failed('should fail') ; R = failed(How) ).
'$test_ends'(false, B, R) :- '$test_ends'(fail, B, R).
'$test_ends'(throws(T), B, R) :- '$test_ran'(B, How), ( How = threw(E), subsumes_term(T, E) -> R = passed ; R = failed(How) ).
'$test_ends'(exception(T), B, R) :- '$test_ends'(throws(T), B, R).
'$test_ends'(error(T), B, R) :- '$test_ends'(throws(error(T, _)), B, R).
'$test_ends'(error(T, C), B, R) :- '$test_ends'(throws(error(T, C)), B, R).
'$test_ends'(all(C), B, R) :- '$test_answers'(C, B, C1, L, L), '$test_holds'(C1, R).
'$test_ends'(set(C0), B, R) :- '$test_sorted'(C0, sort, C), '$test_answers'(C, B, C1, L, S), sort(L, S), '$test_holds'(C1, R).
'$test_ends'(bag(C0), B, R) :- '$test_sorted'(C0, msort, C), '$test_answers'(C, B, C1, L, S), msort(L, S), '$test_holds'(C1, R).
'$test_sorted'(C0, How, C) :- C0 =.. [Op, T, Wanted0], ( is_list(Wanted0) -> call(How, Wanted0, Wanted) ; Wanted = Wanted0 ), C =.. [Op, T, Wanted].
'$test_answers'(C, B, C1, L, Shown) :- C =.. [Op, T, Wanted], findall(T, catch(B, _, fail), L), C1 =.. [Op, Shown, Wanted].
'$test_checked'([], passed).
'$test_checked'([O|Os], R) :- ( '$test_condition'(O, C) -> '$test_holds'(C, R0) ; R0 = passed ), ( R0 == passed -> '$test_checked'(Os, R) ; R = R0 ).
'$test_condition'(true(C), C).
'$test_condition'(O, O) :- functor(O, Op, 2), memberchk(Op, [==, =:=, =, \==, =\=, =@=, \=@=, \=, <, >, =<, >=, @<, @>, @=<, @>=, is]).
'$test_holds'(C, R) :- ( catch(C, _, fail) -> R = passed ; R = failed(wrong(C)) ).
