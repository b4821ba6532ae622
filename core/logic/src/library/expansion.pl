% Expansion of terms and goals by the hooks of a program, term_expansion/2,4 and goal_expansion/2,4: those of a module
% first, then those of `user`. A module's own have names like `module:term_expansion`.

expand_term(T0, T) :- var(T0), !, T = T0.
expand_term(T0, T) :-
    '$expand_terms'([user], T0, Ts0, []), '$expand_bodies'(Ts0, [user], Ts1), '$translate_rules'(Ts1, Ts),
    ( Ts = [T1] -> T = T1 ; T = Ts ).
expand_goal(G0, G) :- '$expand_goal'(G0, [user], [], G).

'$translate_rules'([], []).
'$translate_rules'([T0|Ts0], [T|Ts]) :-
    ( nonvar(T0), T0 = (_ --> _) -> dcg_translate_rule(T0, T) ; T = T0 ), '$translate_rules'(Ts0, Ts).

% `$expand(Modules, Names, Term, Result)`: what a term of a text becomes, `same` or `terms(List)`.
'$expand'(Ms, Ns, T0, R) :-
    Ms = [M|_], b_setval('$load_context', [term-T0, variable_names-Ns, module-M]),
    term_variables(T0, Vs),
    '$expand_terms'(Ms, T0, Ts0, []), '$expand_bodies'(Ts0, Ms, Ts),
    ( Ts = [T], T == T0, term_variables(Vs, Ws), Ws == Vs -> R = same ; R = terms(Ts) ).

% `$predicates_changed(List)`: the predicates whose clauses came or went while goals ran, with the clauses they have.
'$predicates_changed'(L) :- '$changed'(Is), findall(p(N, A, Cs), ( member(N/A, Is), '$clauses_of'(N, A, Cs) ), L).
'$clauses_of'(N, A, Cs) :- functor(H, N, A), findall((H :- B), clause(H, B), Cs).

prolog_load_context(dialect, swi).
prolog_load_context(K, V) :- nb_current('$load_context', C), member(K-V, C).

'$expand_terms'([], T, [T|Ts], Ts).
'$expand_terms'([M|Ms], T0, Ts0, Ts) :-
    ( '$term_hook'(M, T0, T) -> '$expand_result'(T, Ms, Ts0, Ts) ; '$expand_terms'(Ms, T0, Ts0, Ts) ).
'$expand_result'(T, _, Ts, Ts) :- T == [], !.
'$expand_result'(T, Ms, Ts0, Ts) :- nonvar(T), T = [_|_], !, must_be(list, T), '$expand_results'(T, Ms, Ts0, Ts).
'$expand_result'('$source_location'(_, _):T, Ms, Ts0, Ts) :- !, '$expand_result'(T, Ms, Ts0, Ts).
'$expand_result'(T, Ms, Ts0, Ts) :- '$expand_terms'(Ms, T, Ts0, Ts).
'$expand_results'([], _, Ts, Ts).
'$expand_results'([T|L], Ms, Ts0, Ts) :- '$expand_result'(T, Ms, Ts0, Ts1), '$expand_results'(L, Ms, Ts1, Ts).

'$hook'(M, F, A, H) :- ( M == user -> H = F ; atomic_list_concat([M, F], :, H) ), current_predicate(H/A).
'$term_hook'(M, T0, T) :- '$hook'(M, term_expansion, 4, H), call(H, T0, _, T, _), !.
'$term_hook'(M, T0, T) :- '$hook'(M, term_expansion, 2, H), call(H, T0, T), !.
'$goal_hook'(Ms, G0, G) :- member(M, Ms), '$hook'(M, goal_expansion, 4, H), call(H, G0, _, G, _), G0 \== G, !.
'$goal_hook'(Ms, G0, G) :- member(M, Ms), '$hook'(M, goal_expansion, 2, H), call(H, G0, G), G0 \== G, !.

'$expand_bodies'(Ts0, Ms, Ts) :-
    (   member(M, Ms), ( A = 2 ; A = 4 ), '$hook'(M, goal_expansion, A, _)
    ->  '$expand_each'(Ts0, Ms, Ts)
    ;   Ts = Ts0
    ).
'$expand_each'([], _, []).
'$expand_each'([T0|Ts0], Ms, [T|Ts]) :-
    ( nonvar(T0), '$expand_body'(T0, Ms, T1) -> T = T1 ; T = T0 ), '$expand_each'(Ts0, Ms, Ts).

'$expand_body'((H --> B), Ms, T) :-
    dcg_translate_rule((H --> B), C0), '$expand_body'(C0, Ms, C), ( C == C0 -> T = (H --> B) ; T = C ).
'$expand_body'((H :- B0), Ms, (H :- B)) :- '$expand_goal'(B0, Ms, [], B).
'$expand_body'((H0 => B0), Ms, (H => B)) :-
    ( nonvar(H0), H0 = (P, G0) -> '$expand_goal'(G0, Ms, [], G), H = (P, G) ; H = H0 ), '$expand_goal'(B0, Ms, [], B).
'$expand_body'((:- B0), Ms, (:- B)) :- '$expand_goal'(B0, Ms, [], B).
'$expand_body'((?- B0), Ms, (?- B)) :- '$expand_goal'(B0, Ms, [], B).
'$expand_body'('@'(N, R0), Ms, '@'(N, R)) :- '$expand_body'(R0, Ms, R).
'$expand_body'(pragma(R0, P), Ms, pragma(R, P)) :- '$expand_body'(R0, Ms, R).
'$expand_body'('<=>'(H, B0), Ms, '<=>'(H, B)) :- '$expand_rule'(B0, Ms, B).
'$expand_body'('==>'(H, B0), Ms, '==>'(H, B)) :- '$expand_rule'(B0, Ms, B).
'$expand_rule'(B0, Ms, B) :-
    (   nonvar(B0), B0 = '|'(G0, C0)
    ->  '$expand_goal'(G0, Ms, [], G), '$expand_goal'(C0, Ms, [], C), B = '|'(G, C)
    ;   '$expand_goal'(B0, Ms, [], B)
    ).

% Goals that became another one are not expanded again.
'$expand_goal'(G0, _, _, G) :- var(G0), !, G = G0.
'$expand_goal'(M:G0, _, D, M:G) :- atom(M), !,
    ( M == user -> Ms = [user] ; Ms = [M, user] ), '$expand_goal'(G0, Ms, D, G).
'$expand_goal'(G0, Ms, D0, G) :-
    (   '$select_same'(D0, G0, D) -> '$expand_within'(G0, Ms, D, G)
    ;   '$goal_hook'(Ms, G0, G1) -> '$expand_goal'(G1, Ms, [G0|D0], G)
    ;   '$expand_within'(G0, Ms, D0, G)
    ).
'$select_same'([H|T], G, D) :- ( H == G -> D = T ; D = [H|D1], '$select_same'(T, G, D1) ).

'$expand_within'(G0, Ms, D, G) :-
    (   compound(G0), G0 =.. [N|As0], length(As0, A), '$goals_within'(N, A, Ps)
    ->  '$expand_args'(As0, 0, Ps, Ms, D, As1), '$keep_branches'(N, As0, As1, As), G =.. [N|As]
    ;   G = G0
    ).
% A goal that has become a conditional is no condition of the disjunction that it stands in.
'$keep_branches'(;, [A0, _], [A, B], [(A ; fail), B]) :- '$conditional'(A), \+ '$conditional'(A0), !.
'$keep_branches'(_, _, As, As).
'$conditional'(G) :- nonvar(G), ( G = (_ -> _) ; G = (_ *-> _) ), !.
'$goals_within'(N, 2, [0-0, 1-0]) :- memberchk(N, [',', ;, ->, *->]), !.
'$goals_within'(\+, 1, [0-0]) :- !.
'$goals_within'(N, A, Ps) :- current_predicate('$goals_in'/3), call('$goals_in', N, A, Ps).
'$expand_args'([], _, _, _, _, []).
'$expand_args'([A0|As0], I, Ps, Ms, D, [A|As]) :-
    ( memberchk(I-K, Ps) -> '$expand_closure'(K, A0, Ms, D, A) ; A = A0 ),
    J is I + 1, '$expand_args'(As0, J, Ps, Ms, D, As).

% A goal that is called with K more arguments.
'$expand_closure'(0, G0, Ms, D, G) :- !, '$expand_goal'(G0, Ms, D, G).
'$expand_closure'(_, C, _, _, C) :- \+ callable(C), !.
'$expand_closure'(_, Ps>>G0, Ms, D, Ps>>G) :- !, '$expand_goal'(G0, Ms, D, G).
'$expand_closure'(K, V/C0, Ms, D, V/C) :- !, '$expand_closure'(K, C0, Ms, D, C).
'$expand_closure'(K, C0, Ms, D, C) :-
    length(Es, K), C0 =.. L0, append(L0, Es, L1), G0 =.. L1, '$expand_goal'(G0, Ms, D, G),
    (   G == G0 -> C = C0
    ;   callable(G), G =.. L2, append(L, Fs, L2), Fs == Es, L = [_|_], forall(member(E, Es), free_of_var(E, L))
    ->  C =.. L
    ;   term_variables(C0, Vs), F =.. [v|Vs], C = F/(Es>>G)
    ).
