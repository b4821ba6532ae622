% All solutions.

findall(T, G, L) :- findall(T, G, L, []).
findall(T, G, L, Tail) :- '$findall_start', '$findall_run'(T, G), '$findall_collect'(L, Tail).
'$findall_run'(T, G) :- call(G), '$findall_add'(T), fail.
'$findall_run'(_, _).
% In portions: nothing is open while one is looked at.
findnsols(N, T0, G0, L) :-
    copy_term(T0-G0, T-G), S = count(0), '$findall_start',
    ( '$choices'(Before), call(G), '$choices'(After), '$findall_add'(T), arg(1, S, C0), C is C0+1,
        ( Before == After -> !, '$findall_collect'(L, [])
        ; C =:= N -> nb_setarg(1, S, 0), ( '$findall_collect'(L, []) ; '$findall_start', fail )
        ; nb_setarg(1, S, C), fail )
    ; '$findall_collect'(L, []) ).

bagof(T, G, L) :-
    '$free_of'(G, Goal, T, Vs),
    ( Vs == [] -> findall(T, Goal, L), L \== []
    ; W =.. [v|Vs], findall(W-T, Goal, Ps), Ps \== [], keysort(Ps, Sorted), '$bags'(Sorted, Bags), '$element'(W-L, Bags) ).
'$free_of'(G, Goal, T, Vs) :- '$strip_exists'(G, Goal, T, Bound), term_variables(Bound, Bs), term_variables(Goal, Gs), '$without'(Gs, Bs, Vs).
'$strip_exists'(G, G, B, B) :- var(G), !.
'$strip_exists'(V^G, Goal, B0, B) :- !, '$strip_exists'(G, Goal, B0-V, B).
'$strip_exists'(_:G, Goal, B0, B) :- !, '$strip_exists'(G, Goal, B0, B).
'$strip_exists'(G, G, B0, B) :- '$inner_bound'(G, B0, B).
'$inner_bound'(G, B, B) :- var(G), !.
'$inner_bound'(\+ G, B, B-G) :- !.
'$inner_bound'(findall(T, G, _), B, B-T-G) :- !.
'$inner_bound'(forall(A, C), B, B-A-C) :- !.
'$inner_bound'(bagof(T, G, _), B, B-Vs) :- !, '$exists'(G, T, Vs).
'$inner_bound'(setof(T, G, _), B, B-Vs) :- !, '$exists'(G, T, Vs).
'$inner_bound'((A, C), B0, B) :- !, '$inner_bound'(A, B0, B1), '$inner_bound'(C, B1, B).
'$inner_bound'((A ; C), B0, B) :- !, '$inner_bound'(A, B0, B1), '$inner_bound'(C, B1, B).
'$inner_bound'(_, B, B).
'$exists'(G, B, B) :- var(G), !.
'$exists'(V^G, B0, B) :- !, '$exists'(G, B0-V, B).
'$exists'(_, B, B).
'$without'([], _, []).
'$without'([V|Vs], Bs, R) :- ( '$identical_in'(Bs, V) -> R = R1 ; R = [V|R1] ), '$without'(Vs, Bs, R1).
'$identical_in'([X|T], V) :- ( X == V -> true ; '$identical_in'(T, V) ).
'$bags'([], []).
'$bags'([W-T|Ps], [W-[T|Ts]|Bags]) :- '$bag'(Ps, W, Ts, Rest), '$bags'(Rest, Bags).
'$bag'([W2-T|Ps], W, [T|Ts], Rest) :- W2 =@= W, !, W2 = W, '$bag'(Ps, W, Ts, Rest).
'$bag'(Ps, _, [], Ps).
setof(T, G, S) :-
    '$free_of'(G, Goal, T, Vs),
    ( Vs == [] -> findall(T, Goal, L), L \== [], sort(L, S)
    ; W =.. [v|Vs], findall(W-T, Goal, Ps), Ps \== [], sort(Ps, Sorted), '$bags'(Sorted, Bags), '$element'(W-L, Bags), sort(L, S) ).
_^G :- call(G).

aggregate_all(Spec, _, _) :- var(Spec), !, throw(error(instantiation_error, _)).
aggregate_all(count, G, C) :- !, findall(x, G, L), '$length'(L, C).
aggregate_all(count(T), G, C) :- !, findall(T, G, L), '$length'(L, C).
aggregate_all(sum(E), G, S) :- !, findall(E, G, L), sum_list(L, S).
aggregate_all(bag(E), G, L) :- !, findall(E, G, L).
aggregate_all(set(E), G, S) :- !, findall(E, G, L), sort(L, S).
aggregate_all(max(X), G, M) :- !, findall(X, G, L), L = [H|T],
    ( '$numeric'(L, Ns) -> Ns = [N|R], '$max_list'(R, N, M) ; '$max_pair'(T, H, M) ).
aggregate_all(min(X), G, M) :- !, findall(X, G, L), L = [H|T],
    ( '$numeric'(L, Ns) -> Ns = [N|R], '$min_list'(R, N, M) ; '$min_pair'(T, H, M) ).
aggregate_all(max(X, W), G, max(M, V)) :- !, findall(X-W, G, L), L = [H|T], '$max_value'(T, H, M-V).
aggregate_all(min(X, W), G, min(M, V)) :- !, findall(X-W, G, L), L = [H|T], '$min_value'(T, H, M-V).
aggregate_all(Spec, G, R) :- '$aggregates'(Spec, N, Specs), !, '$aggregate_templates'(Specs, Ts),
    findall(Ts, G, Rows), '$aggregate_columns'(Specs, Rows, Vs), R =.. [N|Vs].
aggregate_all(Spec, _, _) :- throw(error(domain_error(aggregate_template, Spec), _)).
% A compound term of aggregates of one kind of solutions each.
'$aggregates'(Spec, N, Specs) :- compound(Spec), Spec =.. [N|Specs], '$all_aggregates'(Specs).
'$all_aggregates'([]).
'$all_aggregates'([S|Ss]) :- '$aggregate_template'(S, _), '$all_aggregates'(Ss).
'$aggregate_templates'([], []).
'$aggregate_templates'([S|Ss], [T|Ts]) :- '$aggregate_template'(S, T), '$aggregate_templates'(Ss, Ts).
'$aggregate_template'(S, _) :- var(S), !, fail.
'$aggregate_template'(count, x).
'$aggregate_template'(count(T), T).
'$aggregate_template'(sum(E), E).
'$aggregate_template'(bag(E), E).
'$aggregate_template'(set(E), E).
'$aggregate_template'(max(E), E).
'$aggregate_template'(min(E), E).
'$aggregate_template'(max(E, W), E-W).
'$aggregate_template'(min(E, W), E-W).
'$aggregate_columns'([], _, []).
'$aggregate_columns'([S|Ss], Rows, [V|Vs]) :- '$first_column'(Rows, Column, Rest), '$aggregate_column'(S, Column, V), '$aggregate_columns'(Ss, Rest, Vs).
'$first_column'([], [], []).
'$first_column'([[X|Xs]|Rows], [X|Column], [Xs|Rest]) :- '$first_column'(Rows, Column, Rest).
'$aggregate_column'(count, L, N) :- '$length'(L, N).
'$aggregate_column'(count(_), L, N) :- '$length'(L, N).
'$aggregate_column'(sum(_), L, S) :- sum_list(L, S).
'$aggregate_column'(bag(_), L, L).
'$aggregate_column'(set(_), L, S) :- sort(L, S).
'$aggregate_column'(max(_), L, M) :- aggregate_all(max(X), '$element'(X, L), M).
'$aggregate_column'(min(_), L, M) :- aggregate_all(min(X), '$element'(X, L), M).
'$aggregate_column'(max(_, _), L, M) :- aggregate_all(max(X, W), '$element'(X-W, L), M).
'$aggregate_column'(min(_, _), L, M) :- aggregate_all(min(X, W), '$element'(X-W, L), M).
'$numeric'([], []).
'$numeric'([E|Es], [N|Ns]) :- catch(N is E, error(_, _), fail), '$numeric'(Es, Ns).
'$max_pair'([], M, M).
'$max_pair'([H|T], M0, M) :- ( H @> M0 -> '$max_pair'(T, H, M) ; '$max_pair'(T, M0, M) ).
'$min_pair'([], M, M).
'$min_pair'([H|T], M0, M) :- ( H @< M0 -> '$min_pair'(T, H, M) ; '$min_pair'(T, M0, M) ).
'$max_value'([], M-W, N-W) :- N is M.
'$max_value'([X-V|T], M-W, R) :- ( X > M -> '$max_value'(T, X-V, R) ; '$max_value'(T, M-W, R) ).
'$min_value'([], M-W, N-W) :- N is M.
'$min_value'([X-V|T], M-W, R) :- ( X < M -> '$min_value'(T, X-V, R) ; '$min_value'(T, M-W, R) ).
aggregate_all(count, D, G, C) :- !, findall(D, G, L0), sort(L0, L), '$length'(L, C).
aggregate_all(sum(E), D, G, S) :- !, findall(D-E, G, L0), sort(L0, L), pairs_values(L, Vs), sum_list(Vs, S).
aggregate_all(max(E), D, G, M) :- !, findall(D-E, G, L0), sort(L0, L), pairs_values(L, Vs), max_list(Vs, M).
aggregate_all(min(E), D, G, M) :- !, findall(D-E, G, L0), sort(L0, L), pairs_values(L, Vs), min_list(Vs, M).
aggregate(Spec, _, _) :- var(Spec), !, throw(error(instantiation_error, _)).
aggregate(count, G, C) :- !, bagof(x, G, L), '$length'(L, C).
aggregate(sum(E), G, S) :- !, bagof(E, G, L), sum_list(L, S).
aggregate(bag(E), G, L) :- !, bagof(E, G, L).
aggregate(set(E), G, L) :- !, setof(E, G, L).
aggregate(max(E), G, M) :- !, bagof(E, G, L), aggregate_all(max(X), '$element'(X, L), M).
aggregate(min(E), G, M) :- !, bagof(E, G, L), aggregate_all(min(X), '$element'(X, L), M).
aggregate(max(E, W), G, M) :- !, bagof(E-W, G, L), aggregate_all(max(X, V), '$element'(X-V, L), M).
aggregate(min(E, W), G, M) :- !, bagof(E-W, G, L), aggregate_all(min(X, V), '$element'(X-V, L), M).
aggregate(Spec, G, R) :- '$aggregates'(Spec, N, Specs), !, '$aggregate_templates'(Specs, Ts),
    bagof(Ts, G, Rows), '$aggregate_columns'(Specs, Rows, Vs), R =.. [N|Vs].
aggregate(Spec, D, G, R) :- '$aggregate_template'(Spec, T), !, setof(D-T, G, L0), pairs_values(L0, L), '$aggregate_column'(Spec, L, R).
aggregate(Spec, D, G, R) :- '$aggregates'(Spec, N, Specs), '$aggregate_templates'(Specs, Ts),
    setof(D-Ts, G, L0), pairs_values(L0, Rows), '$aggregate_columns'(Specs, Rows, Vs), R =.. [N|Vs].
