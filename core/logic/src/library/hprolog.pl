% Lists compared by ==, parts of lists, and stores by name, as programs written for hProlog have them.

memberchk_eq(X, L) :- '$element'(Y, L), X == Y, !.
substitute_eq(_, [], _, []) :- !.
substitute_eq(X, [U|Us], Y, [V|Vs]) :- ( X == U -> V = Y ; V = U ), substitute_eq(X, Us, Y, Vs).
list_difference_eq([], _, []).
list_difference_eq([X|Xs], Ys, L) :- ( memberchk_eq(X, Ys) -> L = L1 ; L = [X|L1] ), list_difference_eq(Xs, Ys, L1).
intersect_eq([], _, []).
intersect_eq([X|Xs], Ys, L) :- ( memberchk_eq(X, Ys) -> L = [X|L1] ; L = L1 ), intersect_eq(Xs, Ys, L1).
chr_delete(L, X, R) :- list_difference_eq(L, [X], R).
take(N, L, First) :- ( N == 0 -> First = [] ; N > 0, L = [X|Xs], First = [X|Ys], M is N-1, take(M, Xs, Ys) ).
drop(N, L, Rest) :- ( N == 0 -> Rest = L ; N > 0, L = [_|Xs], M is N-1, drop(M, Xs, Rest) ).
split_at(N, L, First, Rest) :- ( N == 0 -> First = [], Rest = L ; L = [X|Xs], First = [X|Ys], M is N-1, split_at(M, Xs, Ys, Rest) ).
max_go_list([X|Xs], Max) :- '$greatest'(Xs, X, Max).
'$greatest'([], Max, Max).
'$greatest'([X|Xs], Y, Max) :- ( X @=< Y -> '$greatest'(Xs, Y, Max) ; '$greatest'(Xs, X, Max) ).
or_list(L, Bits) :- '$or_list'(L, 0, Bits).
'$or_list'([], Bits, Bits).
'$or_list'([X|Xs], Bits0, Bits) :- Bits1 is X \/ Bits0, '$or_list'(Xs, Bits1, Bits).
bounded_sublist([], _, _).
bounded_sublist(Sub, [X|Xs], N) :- N > 0, ( Sub = [X|Rest], M is N-1, bounded_sublist(Rest, Xs, M) ; bounded_sublist(Sub, Xs, N) ).

init_store(Name, V) :- nb_setval(Name, V).
get_store(Name, V) :- nb_getval(Name, V).
update_store(Name, V) :- b_setval(Name, V).
make_init_store_goal(Name, V, nb_setval(Name, V)).
make_get_store_goal(Name, V, nb_getval(Name, V)).
make_get_store_goal_no_error(Name, V, nb_current(Name, V)).
make_update_store_goal(Name, V, b_setval(Name, V)).

empty_ds(A) :- empty_assoc(A).
ds_to_list(A, L) :- assoc_to_list(A, L).
get_ds(K, A, V) :- get_assoc(K, A, V).
put_ds(K, A, V, B) :- put_assoc(K, A, V, B).

time(G, Cpu, Wall) :- get_time(T0), statistics(cputime, C0), call(G), statistics(cputime, C), get_time(T), Wall is T-T0, Cpu is C-C0.
