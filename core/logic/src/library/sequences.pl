% Sequences of solutions, cleaning up, tables of answers, messages for debugging.

call_nth(G, N) :- integer(N), !, N > 0, S = count(0), call(G), '$counted'(S, C), C =:= N, !.
call_nth(G, N) :- var(N), S = count(0), call(G), '$counted'(S, N).
'$counted'(S, C) :- arg(1, S, C0), C is C0+1, nb_setarg(1, S, C).
offset(N, G) :- S = count(0), call(G), '$counted'(S, C), C > N.
distinct(G) :- distinct(G, G).
distinct(W, G) :- empty_nb_set(S), call(G), '$variant_key'(W, K), add_nb_set(K, S, true).
reduced(G) :- distinct(G).
reduced(W, G, _) :- distinct(W, G).
'$variant_key'(T, K) :- copy_term_nat(T, K), numbervars(K, 0, _).
order_by(Specs, G) :- term_variables(G, Vs), findall(Vs, G, L0), '$reversed'(Specs, [], Rs), '$order_by'(Rs, Vs, L0, L), '$element'(Vs, L).
'$reversed'([], R, R).
'$reversed'([X|Xs], A, R) :- '$reversed'(Xs, [X|A], R).
'$order_by'([], _, L, L).
'$order_by'([S|Ss], Vs, L0, L) :- S =.. [How, W], '$keyed'(L0, W, Vs, K0),
    ( How == asc -> sort(1, @=<, K0, K1) ; How == desc -> sort(1, @>=, K0, K1) ; throw(error(domain_error(order_specifier, S), _)) ),
    pairs_values(K1, L1), '$order_by'(Ss, Vs, L1, L).
'$keyed'([], _, _, []).
'$keyed'([X|Xs], W, Vs, [K-X|R]) :- copy_term_nat(W-Vs, K-X), '$keyed'(Xs, W, Vs, R).
group_by(By, T, G, Bag) :- findall(By-T, G, L), bagof(T, '$element'(By-T, L), Bag).
foreach(Gen, G) :- term_variables(Gen, Vs), findall(Vs, Gen, L), '$foreach'(L, Vs, G).
'$foreach'([], _, _).
'$foreach'([V|T], Vs, G) :- term_variables(G, Gs), '$without'(Gs, Vs, Free), copy_term_nat(Free-Vs-G, Free-V-G1), call(G1), '$foreach'(T, Vs, G).

catch_with_backtrace(G, E, R) :- catch(G, E, R).
with_mutex(_, G) :- once(G).
concurrent_maplist(G, L) :- maplist(G, L).
concurrent_maplist(G, L, M) :- maplist(G, L, M).
concurrent_maplist(G, L, M, N) :- maplist(G, L, M, N).
concurrent_forall(G, A) :- forall(G, A).
concurrent_forall(G, A, _) :- forall(G, A).
concurrent(_, Gs, _) :- maplist(call, Gs).
first_solution(X, Gs, _) :- '$element'(G, Gs), call(G), !, X = X.
thread_self(main).
sleep(_).
shift(_) :- throw(error(existence_error(reset, shift), _)).

'$debug_topics'(Ts) :- ( nb_current('$debug_topics', Ts0) -> Ts = Ts0 ; Ts = [] ).
debug(T) :- '$debug_topics'(Ts), ( memberchk(T, Ts) -> true ; nb_setval('$debug_topics', [T|Ts]) ).
nodebug(T) :- '$debug_topics'(Ts), delete(Ts, T, Rest), nb_setval('$debug_topics', Rest).
debugging(T) :- '$debug_topics'(Ts), '$element'(T, Ts), ( nonvar(T) -> ! ; true ).
debug(T, F, As) :- ( debugging(T) -> format(user_error, '% ', []), format(user_error, F, As), nl(user_error) ; true ).
trace.
spy(_).
nospy(_).
trim_stacks.
trim_heap.
garbage_collect_clauses.
print_term(T, _) :- print(T).
% Ports are looked at and never used: a trace asks nothing.
chr_leash(P) :- atom(P), P \== [], !, ( memberchk(P, [none, off, all, default]) -> true ; '$chr_ports'([P]) ).
chr_leash(Ps) :- sort(Ps, All), '$chr_ports'(All).
'$chr_ports'([]).
'$chr_ports'([P|Ps]) :-
    ( memberchk(P, [call, exit, redo, fail, wake, try, apply, insert, remove]) -> true ; throw(error(domain_error(chr_port, P), _)) ),
    '$chr_ports'(Ps).

foldl(G, L1, L2, L3, L4, V0, V) :- '$foldl'(L1, L2, L3, L4, G, V0, V).
'$foldl'([], [], [], [], _, V, V).
'$foldl'([X|Xs], [Y|Ys], [Z|Zs], [W|Ws], G, V0, V) :- call(G, X, Y, Z, W, V0, V1), '$foldl'(Xs, Ys, Zs, Ws, G, V1, V).
scanl(G, L, V, [V|Vs]) :- '$scanl'(L, G, V, Vs).
'$scanl'([], _, _, []).
'$scanl'([X|Xs], G, V0, [V1|Vs]) :- call(G, X, V0, V1), '$scanl'(Xs, G, V1, Vs).
scanl(G, L, M, V, [V|Vs]) :- '$scanl'(L, M, G, V, Vs).
'$scanl'([], [], _, _, []).
'$scanl'([X|Xs], [Y|Ys], G, V0, [V1|Vs]) :- call(G, X, Y, V0, V1), '$scanl'(Xs, Ys, G, V1, Vs).
max_member(P, M, [H|T]) :- '$best'(T, P, H, M).
min_member(P, M, [H|T]) :- '$least'(T, P, H, M).
'$best'([], _, M, M).
'$best'([H|T], P, M0, M) :- ( call(P, M0, H) -> '$best'(T, P, H, M) ; '$best'(T, P, M0, M) ).
'$least'([], _, M, M).
'$least'([H|T], P, M0, M) :- ( call(P, H, M0) -> '$least'(T, P, H, M) ; '$least'(T, P, M0, M) ).
