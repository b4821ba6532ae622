% Goals of attributed variables: freeze/2, dif/2, when/2, calls of predicates with `:- block`.

'$wakeup'([]).
'$wakeup'([wake(As, V)|T]) :- '$hooks'(As, V), '$wakeup'(T).
'$hooks'([], _).
'$hooks'(att(M, A, Rest), V) :- '$hook'(M, A, V), '$hooks'(Rest, V).
'$hook'('$chr', Ids, V) :- !, '$chr_wake'(Ids, V).
'$hook'(freeze, G, V) :- !, '$thaw'(G, V).
'$hook'(dif, Ds, V) :- !, '$recheck'(Ds, V).
'$hook'(when, Ws, V) :- !, '$recheck_when'(Ws, V).
'$hook'(block_directive, Bs, V) :- !, '$unblock'(Bs, V).
'$hook'(clpfd, A, V) :- !, '$fd_bound'(A, V).
'$hook'(M, A, V) :- atomic_list_concat([M, :, attr_unify_hook], P), current_predicate(P/2), !, call(P, A, V).
'$hook'(_, A, V) :- attr_unify_hook(A, V).

freeze(V, G) :- nonvar(V), !, call(G).
freeze(V, G) :- ( get_attr(V, freeze, G0) -> put_attr(V, freeze, '$and'(G0, G)) ; put_attr(V, freeze, G) ).
'$thaw'(G, V) :- nonvar(V), !, '$run_frozen'(G).
'$thaw'(G, V) :- ( get_attr(V, freeze, G0) -> put_attr(V, freeze, '$and'(G0, G)) ; put_attr(V, freeze, G) ).
'$run_frozen'('$and'(A, B)) :- !, '$run_frozen'(A), '$run_frozen'(B).
'$run_frozen'(G) :- call(G).
frozen(T, G) :- '$residual'(T, Gs), '$conjunction_of'(Gs, G).
'$conjunction_of'([], true).
'$conjunction_of'([G|Gs], C) :- ( Gs == [] -> C = G ; C = (G, C1), '$conjunction_of'(Gs, C1) ).
% Goals of freeze/2 and when/2 say their module.
'$residual'(T, Gs) :- '$waiting'(T, Gs0), '$home_module'(M), '$qualify'(Gs0, M, Gs).
'$qualify'([], _, []).
'$qualify'([G0|Gs0], M, [G|Gs]) :- '$qualify_goal'(G0, M, G), '$qualify'(Gs0, M, Gs).
'$qualify_goal'(freeze(V, G), M, freeze(V, Q)) :- !, '$in_module'(G, M, Q).
'$qualify_goal'(when(C, G), M, when(C, Q)) :- !, '$in_module'(G, M, Q).
'$qualify_goal'(G, _, G).
'$in_module'(G, M, Q) :- ( nonvar(G), G = _:_ -> Q = G ; Q = M:G ).

% Values that are lists, of several variables: more at the end, or at the front.
'$append_to'([], _, _).
'$append_to'([V|Vs], M, New) :- ( get_attr(V, M, Old) -> '$append'(Old, New, All) ; All = New ), put_attr(V, M, All), '$append_to'(Vs, M, New).
'$prepend_to'([], _, _).
'$prepend_to'([V|Vs], M, New) :- ( get_attr(V, M, Old) -> '$append'(New, Old, All) ; All = New ), put_attr(V, M, All), '$prepend_to'(Vs, M, New).

dif(X, Y) :- '$dif'(X, Y).
'$dif'(X, Y) :- X \= Y, !.
'$dif'(X, Y) :- X \== Y, '$deciding'(X, Y, Vs), '$prepend_to'(Vs, dif, [dif(X, Y)]).
'$deciding'(X, Y, Vs) :- '$unifier'(X, Y, Vs).
'$unifier'(X, Y, Vs) :- term_variables(X-Y, Vs).
'$recheck'(Ds, V) :- term_variables(V, Vs), '$prepend_to'(Vs, dif, Ds), '$recheck_all'(Ds).
'$recheck_all'([]).
'$recheck_all'([dif(X, Y)|T]) :- X \== Y, '$recheck_all'(T).

when(C, _) :- var(C), !, throw(error(instantiation_error, _)).
when(C, G) :- '$when_state'(C, S), ( S == true -> call(G) ; '$suspend_when'(C, G, _) ).
'$when_state'(nonvar(X), S) :- !, ( nonvar(X) -> S = true ; S = wait ).
'$when_state'(ground(X), S) :- !, ( ground(X) -> S = true ; S = wait ).
'$when_state'(?=(X, Y), S) :- !, ( ?=(X, Y) -> S = true ; S = wait ).
'$when_state'((A, B), S) :- !, '$when_state'(A, SA), ( SA == true -> '$when_state'(B, S) ; S = wait ).
'$when_state'((A ; B), S) :- !, '$when_state'(A, SA), ( SA == true -> S = true ; '$when_state'(B, S) ).
'$when_state'(C, _) :- throw(error(domain_error(when_condition, C), _)).
'$suspend_when'(C, G, Done) :- term_variables(C, Vs), '$append_to'(Vs, when, [when(C, G, Done)]).
'$recheck_when'(Ws, V) :- term_variables(V, Vs), '$append_to'(Vs, when, Ws), '$run_when'(Ws).
'$run_when'([]).
'$run_when'([when(C, G, Done)|T]) :-
    ( Done == true -> true ; '$when_state'(C, S), ( S == true -> Done = true, call(G) ; true ) ), '$run_when'(T).

% A call waits at each of the variables; the first binding of one to a term runs it.
'$block'(Vs, G) :- '$append_to'(Vs, block_directive, [block(_, G)]).
'$unblock'(Bs, V) :- var(V), !, '$prepend_to'([V], block_directive, Bs).
'$unblock'(Bs, _) :- '$unblock'(Bs).
'$unblock'([]).
'$unblock'([block(Done, G)|Bs]) :- ( Done == true -> true ; Done = true, call(G) ), '$unblock'(Bs).

find_chr_constraint(C) :- '$chr_constraints'(L), '$element'(_:C, L).
current_chr_constraint(C) :- nonvar(C), C = _:_, !, '$chr_constraints'(L), '$element'(C, L).
current_chr_constraint(C) :- find_chr_constraint(C).
current_chr_constraint(M, C) :- current_chr_constraint(M:C).
'$enumerate_constraints'(C) :- current_chr_constraint(C).
chr_show_store(_) :- '$chr_constraints'(L), '$show_constraints'(L).
chr_trace.
chr_notrace.
'$show_constraints'([]).
'$show_constraints'([_:C|Cs]) :- print(C), nl, '$show_constraints'(Cs).
