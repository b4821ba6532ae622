% Goals of attributed variables: freeze/2, dif/2, when/2, calls of predicates with `:- block`.

'$wakeup'([]).
'$wakeup'([wake(As, V)|T]) :- '$hooks'(As, V), '$wakeup'(T).
% The goal of an alarm.
'$wakeup'([call(G)|T]) :- ignore(G), '$wakeup'(T).
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

% What the program's attribute_goals//1 says of attributes: of the variables of an answer, and of the store.
'$own_goals'(T, Own) :- '$chr_constraints'(Cs), term_attvars(T-Cs, Vs), '$own_goals_of'(Vs, Own), !.
'$own_goals_of'([], []).
'$own_goals_of'([V|Vs], Own) :- '$attribute_names'(V, Ms), '$own_of'(Ms, V, Own, Rest), '$own_goals_of'(Vs, Rest).
'$own_of'([], _, Own, Own).
'$own_of'([M|Ms], V, Own, Rest) :-
    ( '$attribute_goals'(M, V, Gs) -> Own = [own(V, M, Gs)|More] ; Own = More ), '$own_of'(Ms, V, More, Rest).
'$attribute_goals'(M, _, _) :- memberchk(M, ['$chr', freeze, dif, when, block_directive, clpfd]), !, fail.
'$attribute_goals'(M, V, Gs) :- atomic_list_concat([M, :, attribute_goals], P), current_predicate(P/3), !, call(P, V, Gs, []).
'$attribute_goals'(M, V, Gs) :-
    '$home_module'(H), ( H == user -> true ; H == M ), current_predicate(attribute_goals/3), call(attribute_goals, V, Gs, []).

freeze(V, G) :- nonvar(V), !, call(G).
freeze(V, G) :- ( get_attr(V, freeze, G0) -> put_attr(V, freeze, '$and'(G0, G)) ; put_attr(V, freeze, G) ).
'$thaw'(G, V) :- nonvar(V), !, '$run_frozen'(G).
'$thaw'(G, V) :- ( get_attr(V, freeze, G0) -> put_attr(V, freeze, '$and'(G0, G)) ; put_attr(V, freeze, G) ).
'$run_frozen'('$and'(A, B)) :- !, '$run_frozen'(A), '$run_frozen'(B).
'$run_frozen'(G) :- call(G).
frozen(T, G) :- '$residual'(T, Gs), '$conjunction_of'(Gs, G).
'$conjunction_of'([], true).
'$conjunction_of'([G|Gs], C) :- ( Gs == [] -> C = G ; C = (G, C1), '$conjunction_of'(Gs, C1) ).
% Goals of freeze/2 and when/2 say their module; attributes of the program are shown as it says.
'$residual'(T, Gs) :- '$waiting'(T, Gs0), '$home_module'(M), '$qualify'(Gs0, M, Gs).
'$qualify'([], _, []).
'$qualify'([put_attr(V, A, _)|Gs0], M, Gs) :- '$attribute_goals'(A, V, Own), !, '$append'(Own, Gs1, Gs), '$qualify'(Gs0, M, Gs1).
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
'$dif'(X, Y) :- \+ '$unifiable'(X, Y), !.
'$dif'(X, Y) :- X \== Y, '$deciding'(X, Y, Vs), '$prepend_to'(Vs, dif, [dif(X, Y)]).
'$deciding'(X, Y, Vs) :- '$unifier'(X, Y, Vs).
'$unifier'(X, Y, Vs) :- term_variables(X-Y, Vs).
'$recheck'(Ds, V) :- term_variables(V, Vs), '$prepend_to'(Vs, dif, Ds), '$recheck_all'(Ds).
'$recheck_all'([]).
'$recheck_all'([dif(X, Y)|T]) :- X \== Y, '$recheck_all'(T).

% A condition is made simpler first; what is left waits at one variable after the other, alternatives at all of theirs.
% An entry of a variable holds what answers show of it, whether that is over, what runs, and whether it ran.
when(C, G) :- '$when_condition'(C, S), ( S == true -> call(G) ; '$trigger'(S, G) ).
'$when_condition'(C, _) :- var(C), !, throw(error(instantiation_error, _)).
'$when_condition'(nonvar(X), S) :- !, ( nonvar(X) -> S = true ; S = nonvar(X) ).
'$when_condition'(ground(X), S) :- !, ( ground(X) -> S = true ; S = ground(X) ).
'$when_condition'(?=(X, Y), S) :- !, ( ?=(X, Y) -> S = true ; S = ?=(X, Y) ).
'$when_condition'((A, B), S) :- !,
    '$when_condition'(A, SA), '$when_condition'(B, SB),
    ( SA == true -> S = SB ; SB == true -> S = SA ; S = (SA, SB) ).
'$when_condition'((A ; B), S) :- !,
    '$when_condition'(A, SA), ( SA == true -> S = true ; '$when_condition'(B, SB), '$either'(SB, SA, S) ).
'$when_condition'(C, _) :- throw(error(domain_error(when_condition, C), _)).
'$either'(true, _, S) :- !, S = true.
'$either'(or(Bs), or(As), S) :- !, '$append'(As, Bs, L), S = or(L).
'$either'(or(Bs), A, S) :- !, '$append'(Bs, [A], L), S = or(L).
'$either'(B, or(As), S) :- !, '$append'(As, [B], L), S = or(L).
'$either'(B, A, or([A, B])).
'$trigger'((A, B), G) :- !, '$trigger'(A, '$trigger'(B, G)).
'$trigger'(or(Ss), G) :- !, '$trigger_any'(Ss, '$trigger_once'(_, Ss, G)).
'$trigger'(S, G) :- '$undecided'(S, Vs), !, '$when_shown'(G, S, C, G1, Done), '$append_to'(Vs, when, [when(C, G1, Done, '$trigger'(S, G), _)]).
'$trigger'(_, G) :- call(G).
'$trigger_any'([], _).
'$trigger_any'([S|Ss], G) :- '$trigger'(S, G), '$trigger_any'(Ss, G).
'$trigger_once'(Done, _, G) :- ( Done == true -> true ; Done = true, call(G) ).
'$undecided'(nonvar(X), [X]) :- var(X).
'$undecided'(ground(X), [V]) :- term_variables(X, [V|_]).
'$undecided'(?=(X, Y), Vs) :- \+ ?=(X, Y), '$unifier'(X, Y, Vs).
'$when_shown'(G0, C0, C, G, Done) :- nonvar(G0), G0 = '$trigger'(S, G1), !, '$when_shown'(G1, (C0, S), C, G, Done).
'$when_shown'(G0, _, C, G, Done) :- nonvar(G0), G0 = '$trigger_once'(Done, Ss, G1), !, '$any_of'(Ss, C0), '$when_shown'(G1, C0, C, G, _).
'$when_shown'(G, C, C, G, _).
'$any_of'([S], S) :- !.
'$any_of'([S|Ss], (S ; C)) :- '$any_of'(Ss, C).
'$recheck_when'(Ws, V) :- ( get_attr(V, when, Os) -> del_attr(V, when), '$append'(Ws, Os, All) ; All = Ws ), '$run_when'(All).
'$run_when'([]).
'$run_when'([when(_, _, Done, G, Ran)|T]) :- ( ( Done == true ; Ran == true ) -> true ; Ran = true, call(G) ), '$run_when'(T).

% A call waits at each of the variables; the first binding of one to a term runs it.
'$block'(Vs, G) :- '$append_to'(Vs, block_directive, [block(_, G)]).
'$unblock'(Bs, V) :- var(V), !, '$prepend_to'([V], block_directive, Bs).
'$unblock'(Bs, _) :- '$unblock'(Bs).
'$unblock'([]).
'$unblock'([block(Done, G)|Bs]) :- ( Done == true -> true ; Done = true, call(G) ), '$unblock'(Bs).

find_chr_constraint(C) :- '$chr_constraints'(L), '$element'(_:C, L).
current_chr_constraint(C) :- nonvar(C), C = _:_, !, '$chr_constraints'(L), '$element'(C, L).
current_chr_constraint(C) :- '$chr_constraints'(L), '$element'(user:C, L).
current_chr_constraint(M, C) :- current_chr_constraint(M:C).
'$enumerate_constraints'(C) :- current_chr_constraint(C).
% What is no module of the program sees the constraints of those that are not in one.
chr_show_store(M) :- var(M), !, throw(error(instantiation_error, _)).
chr_show_store(M) :- '$chr_constraints'(L), ( '$is_module'(M) -> '$show_constraints'(L, M) ; '$show_constraints'(L, user) ).
chr_trace.
chr_notrace.
'$show_constraints'([], _).
'$show_constraints'([M0:C|Cs], M) :- ( M0 \= M -> true ; print(C), nl ), '$show_constraints'(Cs, M).
