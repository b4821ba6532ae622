% Constraints over lists of integers, and constraints that are true or false.

:- op(760, yfx, [#<==>]).
:- op(750, xfy, [#==>]).
:- op(750, yfx, [#<==]).
:- op(740, yfx, [#\/]).
:- op(730, yfx, [#\]).
:- op(720, yfx, [#/\]).
:- op(710, fy, [#\]).
:- op(700, xfx, [#>, #<, #>=, #=<, #=, #\=, in, ins, in_set]).
:- op(450, xfx, [..]).

all_different(Vs) :- '$must_be'(list, Vs), '$fd_each_other'([], Vs, all_different(Vs)), '$fd_all_integers'(Vs).
all_distinct(Vs) :- '$must_be'(list, Vs), '$fd_each_other'([], Vs, none), '$fd_all_integers'(Vs), '$fd_post'(distinct(Vs), all_distinct(Vs)).
'$fd_all_integers'([]).
'$fd_all_integers'([V|Vs]) :- '$fd_get'(V, _), '$fd_all_integers'(Vs).
'$fd_each_other'(_, [], _).
'$fd_each_other'(Left, [X|Right], Shown) :- P = p(one(Left, X, Right), idle, Shown),
    ( integer(X) -> '$fd_run'([P]) ; '$fd_attach_waiting'([X], P), '$fd_no_other'(Left, X) ), '$fd_each_other'([X|Left], Right, Shown).
sum(Vs, Op, E) :- '$fd_total'(Vs, S), G =.. [Op, S, E], call(G).
'$fd_total'([], 0).
'$fd_total'([V|Vs], S) :- '$fd_total'(Vs, V, S).
'$fd_total'([], S, S).
'$fd_total'([V|Vs], S0, S) :- '$fd_total'(Vs, S0+V, S).
scalar_product(Cs, Vs, Op, E) :- '$fd_weighted'(Cs, Vs, Ts), sum(Ts, Op, E).
'$fd_weighted'([], [], []).
'$fd_weighted'([C|Cs], [V|Vs], [C*V|Ts]) :- '$fd_weighted'(Cs, Vs, Ts).
element(I, L, V) :- length(L, N), I in 1..N, '$fd_post'(element(I, L, V), element(I, L, V)).
'$fd_element'(I, L, V, P) :- integer(I), !, '$fd_done'(P), nth1(I, L, V).
'$fd_element'(I, L, V, _) :- '$fd_get'(V, D), '$fd_get'(I, DI), '$fd_places'(L, 1, DI, D, Js, Es),
    '$fd_join'(Js, DJ), '$fd_union'(Es, DE), '$fd_narrow'(I, DJ), '$fd_narrow'(V, DE).
'$fd_places'([], _, _, _, [], []).
'$fd_places'([E|L], J, DI, D, Js, Es) :- J1 is J+1,
    ( '$fd_within'(DI, J), '$fd_get'(E, DE), '$fd_meet'(DE, D, M), M \== [] -> Js = [J-J|Js1], append(M, Es1, Es) ; Js = Js1, Es = Es1 ),
    '$fd_places'(L, J1, DI, D, Js1, Es1).
chain(L, R) :- '$fd_chain_op'(R, Op), '$fd_chain'(L, Op).
'$fd_chain_op'(R, Op) :- ( memberchk(R-Op, [(#<)-(#<), (#>)-(#>), (#=<)-(#=<), (#>=)-(#>=), (#=)-(#=)]) -> true ; throw(error(domain_error(chain_relation, R), _)) ).
'$fd_chain'([X, Y|T], Op) :- !, call(Op, X, Y), '$fd_chain'([Y|T], Op).
'$fd_chain'(_, _).
zcompare(O, A, B) :- nonvar(O), !, ( O = (<) -> A #< B ; O = (>) -> A #> B ; O = (=), A #= B ).
zcompare(O, A, B) :- integer(A), integer(B), !, compare(O, A, B).
zcompare(O, A, B) :- freeze(O, zcompare(O, A, B)), when(ground(A-B), ( X is A, Y is B, compare(O, X, Y) )).
tuples_in(Ts, Rel) :- '$must_be'(list, Ts), '$fd_tuples'(Ts, Rel).
'$fd_tuples'([], _).
'$fd_tuples'([T|Ts], Rel) :- '$fd_post'(tuple(T, Rel), tuples_in([T], Rel)), '$fd_tuples'(Ts, Rel).
'$fd_fitting'([], _, []).
'$fd_fitting'([R|Rs], T, Fit) :- ( '$fd_fits'(T, R) -> Fit = [R|F1] ; Fit = F1 ), '$fd_fitting'(Rs, T, F1).
'$fd_fits'([], []).
'$fd_fits'([V|Vs], [N|Ns]) :- '$fd_get'(V, D), '$fd_within'(D, N), '$fd_fits'(Vs, Ns).
'$fd_columns'([], _).
'$fd_columns'([V|Vs], Rows) :- '$fd_heads'(Rows, Hs, Rest), '$fd_union'(Hs, D), '$fd_narrow'(V, D), '$fd_columns'(Vs, Rest).
'$fd_heads'([], [], []).
'$fd_heads'([[N|Ns]|Rows], [N-N|Hs], [Ns|Rest]) :- '$fd_heads'(Rows, Hs, Rest).
lex_chain([A, B|T]) :- !, '$fd_post'(lex(A, B), lex_chain([A, B])), lex_chain([B|T]).
lex_chain(_).
'$fd_lex'([], [], P) :- '$fd_done'(P).
'$fd_lex'([A|As], [B|Bs], P) :- '$fd_high'(B, H), '$fd_below'(A, H), '$fd_low'(A, L), '$fd_above'(B, L),
    ( A == B -> '$fd_lex'(As, Bs, P) ; '$fd_high'(A, AH), '$fd_low'(B, BL), AH < BL -> '$fd_done'(P) ; true ).
global_cardinality(Vs, Ps) :- global_cardinality(Vs, Ps, []).
global_cardinality(Vs, Ps, Os) :- pairs_keys_values(Ps, Ks, Cs), '$fd_constants'(Ks, Is), '$fd_union'(Is, D), '$fd_all_in'(Vs, D),
    '$length'(Vs, N), '$fd_occurrences'(Ps, Vs, N), sum(Cs, #=, N),
    ( memberchk(cost(Cost, Matrix), Os) -> '$fd_costs'(Vs, Matrix, Ks, Es), sum(Es, #=, Cost) ; true ).
'$fd_constants'([], []).
'$fd_constants'([K|Ks], [K-K|Is]) :- '$fd_constants'(Ks, Is).
'$fd_costs'([], [], _, []).
'$fd_costs'([V|Vs], [Row|Rows], Ks, [E|Es]) :- element(I, Ks, V), element(I, Row, E), '$fd_costs'(Vs, Rows, Ks, Es).
'$fd_occurrences'([], _, _).
'$fd_occurrences'([K-C|Ps], Vs, N) :- C in 0..N, '$fd_equals'(Vs, K, Bs), sum(Bs, #=, C), '$fd_occurrences'(Ps, Vs, N).
'$fd_equals'([], _, []).
'$fd_equals'([V|Vs], K, [B|Bs]) :- '$fd_truth'(V #= K, B), '$fd_equals'(Vs, K, Bs).
circuit(Vs) :- '$length'(Vs, N), Vs ins 1..N, '$fd_each_other'([], Vs, none), '$fd_post'(distinct(Vs), none), ( N > 1 -> '$fd_no_loops'(Vs, 1) ; true ), '$fd_post'(circuit(Vs), circuit(Vs)).
'$fd_no_loops'([], _).
'$fd_no_loops'([V|Vs], I) :- '$fd_remove'(V, I), J is I+1, '$fd_no_loops'(Vs, J).
'$fd_tours'([], _, _, _).
'$fd_tours'([V|Vs], All, I, N) :- ( integer(V) -> '$fd_tour'(V, All, I, 1, N) ; true ), J is I+1, '$fd_tours'(Vs, All, J, N).
'$fd_tour'(V, All, I, Len, N) :- ( var(V) -> ( Len < N -> '$fd_remove'(V, I) ; true ) ; V =:= I -> Len =:= N ; Len < N, nth1(V, All, W), L1 is Len+1, '$fd_tour'(W, All, I, L1, N) ).
cumulative(Ts) :- cumulative(Ts, [limit(1)]).
cumulative(Ts, Os) :- ( memberchk(limit(L), Os) -> true ; L = 1 ), '$fd_tasks'(Ts), '$fd_post'(tasks(Ts, L), cumulative(Ts, Os)).
'$fd_tasks'([]).
'$fd_tasks'([task(S, D, E, _, _)|Ts]) :- D #>= 0, S+D #= E, '$fd_tasks'(Ts).
% Where a task certainly runs, the others that certainly run there and it need no more than there is.
'$fd_load'([], _, _).
'$fd_load'([task(S, _, E, _, _)|Ts], All, L) :- '$fd_high'(S, At), '$fd_low'(E, End),
    ( integer(At), integer(End), At < End -> '$fd_used'(All, At, 0, U), '$fd_above'(L, U) ; true ), '$fd_load'(Ts, All, L).
'$fd_used'([], _, U, U).
'$fd_used'([task(S, _, E, C, _)|Ts], At, U0, U) :- '$fd_high'(S, Late), '$fd_low'(E, Early),
    ( Late =< At, At < Early -> '$fd_low'(C, N), ( integer(N) -> U1 is U0+N ; U1 = U0 ) ; U1 = U0 ), '$fd_used'(Ts, At, U1, U).
serialized(Ss, Ds) :- '$fd_serial'(Ss, Ds).
'$fd_serial'([], []).
'$fd_serial'([S|Ss], [D|Ds]) :- '$fd_serial'(Ss, Ds, S, D), '$fd_serial'(Ss, Ds).
'$fd_serial'([], [], _, _).
'$fd_serial'([T|Ts], [E|Es], S, D) :- S+D #=< T #\/ T+E #=< S, '$fd_serial'(Ts, Es, S, D).
disjoint2(Rs) :- '$must_be'(list, Rs), '$fd_disjoint'(Rs).
'$fd_disjoint'([]).
'$fd_disjoint'([R|Rs]) :- R =.. [_, X, W, Y, H], '$fd_disjoint'(Rs, X, W, Y, H), '$fd_disjoint'(Rs).
'$fd_disjoint'([], _, _, _, _).
'$fd_disjoint'([R|Rs], X, W, Y, H) :- R =.. [_, X2, W2, Y2, H2],
    X+W #=< X2 #\/ X2+W2 #=< X #\/ Y+H #=< Y2 #\/ Y2+H2 #=< Y, '$fd_disjoint'(Rs, X, W, Y, H).
% States of an automaton are numbered in the order of its nodes, then of its arcs; each step is a tuple of an arc.
automaton(Vs, Ns, As) :- automaton(Vs, _, Vs, Ns, As, [], [], _).
automaton(Vs, Template, Signature, Ns, As, Counters, Initials, Finals) :-
    '$must_be'(list, Vs), '$must_be'(list, Ns), '$must_be'(list, As),
    findall(S, ( '$element_of'(A, As), '$fd_arc'(A, S0, _, S1, _), '$element_of'(S, [S0, S1]) ; '$element_of'(N, Ns), arg(1, N, S) ), L), '$list_to_set'(L, States),
    findall([I, V, J], ( '$element_of'(A, As), '$fd_arc'(A, S0, V, S1, _), nth0(I, States, S0), nth0(J, States, S1) ), Rel),
    findall(I-I, ( '$element_of'(source(S), Ns), nth0(I, States, S) ), Sources), '$fd_union'(Sources, DS),
    findall(I-I, ( '$element_of'(sink(S), Ns), nth0(I, States, S) ), Sinks), '$fd_union'(Sinks, DE),
    '$fd_narrow'(First, DS), '$fd_steps'(Signature, First, Last, Rel, Ts), '$fd_narrow'(Last, DE), tuples_in(Ts, Rel),
    ( Counters == [] -> true ; '$fd_counted'(Vs, Signature, Ts, Template, States, As, Counters, Initials, Finals) ).
'$fd_arc'(arc(S, V, T), S, V, T, none).
'$fd_arc'(arc(S, V, T, Es), S, V, T, Es).
'$list_to_set'(L, S) :- list_to_set(L, S).
'$fd_steps'([], Q, Q, _, []).
'$fd_steps'([V|Vs], Q0, Q, Rel, [[Q0, V, Q1]|Ts]) :- '$fd_steps'(Vs, Q1, Q, Rel, Ts).
% Counters change by what the arc of each step says, which is known by its number.
'$fd_counted'([], [], [], _, _, _, _, Finals, Finals).
'$fd_counted'([V|Vs], [_|Ss], [[Q0, S, Q1]|Ts], Template, States, As, Counters, Values, Finals) :-
    findall([I, N, J, K], ( nth0(K, As, A), '$fd_arc'(A, S0, N, S1, _), nth0(I, States, S0), nth0(J, States, S1) ), Rows), tuples_in([[Q0, S, Q1, Arc]], Rows),
    findall(Es, ( '$element_of'(A, As), '$fd_arc'(A, _, _, _, Es) ), All), '$fd_next'(Counters, 1, All, Template-Counters, V-Values, Arc, Values, Next),
    '$fd_counted'(Vs, Ss, Ts, Template, States, As, Counters, Next, Finals).
'$fd_next'([], _, _, _, _, _, [], []).
'$fd_next'([_|Cs], N, All, Names, Now, Arc, [V|Vs], [W|Ws]) :- '$fd_updates'(All, N, Names, Now, V, Us), I #= Arc+1, element(I, Us, W),
    M is N+1, '$fd_next'(Cs, M, All, Names, Now, Arc, Vs, Ws).
'$fd_updates'([], _, _, _, _, []).
'$fd_updates'([Es|All], N, Names, Now, V, [U|Us]) :- ( Es == none -> U = V ; copy_term(Names-Es, Now-Fs), nth1(N, Fs, F), U #= F ), '$fd_updates'(All, N, Names, Now, V, Us).

% Truth of constraints. A reified one is lin(Op, Coefficients, Variables, Constant) or in(Variable, Domain).
P #<==> Q :- '$fd_truth'(P, B), '$fd_truth'(Q, B).
P #==> Q :- '$fd_truth'(P, A), '$fd_truth'(Q, B), '$fd_implies'(A, B).
P #<== Q :- Q #==> P.
P #\/ Q :- ( '$fd_values_of'(P #\/ Q, X, D0) -> '$fd_union'(D0, D), '$fd_narrow'(X, D) ; '$fd_truth'(P, A), '$fd_truth'(Q, B), '$fd_post'(call('$fd_or'(A, B, 1)), A #\/ B) ).
P #/\ Q :- '$fd_truth'(P, 1), '$fd_truth'(Q, 1).
P #\ Q :- '$fd_truth'(P, A), '$fd_truth'(Q, B), A+B #= 1.
#\ P :- '$fd_truth'(P, 0).
% Alternatives for one variable are a domain.
'$fd_values_of'(P, _, _) :- var(P), !, fail.
'$fd_values_of'(P #\/ Q, X, D) :- '$fd_values_of'(P, X, D1), '$fd_values_of'(Q, Y, D2), X == Y, append(D1, D2, D).
'$fd_values_of'(A #= B, X, [N-N]) :- ( var(A), integer(B) -> X = A, N = B ; var(B), integer(A), X = B, N = A ).
'$fd_implies'(A, B) :- '$fd_post'(call('$fd_if'(A, B)), A #==> B).
'$fd_call'(G, P) :- '$fd_step'(G, P).
'$fd_step'('$fd_if'(A, B), P) :- ( A == 1 -> '$fd_done'(P), B = 1 ; A == 0 -> '$fd_done'(P) ; B == 1 -> '$fd_done'(P) ; B == 0 -> '$fd_done'(P), A = 0 ; A == B -> '$fd_done'(P) ; true ).
'$fd_step'('$fd_or'(A, B, C), P) :-
    ( A == 1 -> '$fd_done'(P), C = 1 ; B == 1 -> '$fd_done'(P), C = 1 ; A == 0 -> '$fd_done'(P), B = C ; B == 0 -> '$fd_done'(P), A = C
    ; C == 0 -> '$fd_done'(P), A = 0, B = 0 ; A == B -> '$fd_done'(P), C = A ; true ).
'$fd_step'('$fd_and'(A, B, C), P) :-
    ( A == 0 -> '$fd_done'(P), C = 0 ; B == 0 -> '$fd_done'(P), C = 0 ; A == 1 -> '$fd_done'(P), B = C ; B == 1 -> '$fd_done'(P), A = C
    ; C == 1 -> '$fd_done'(P), A = 1, B = 1 ; A == B -> '$fd_done'(P), C = A ; true ).
'$fd_truth'(P, B) :- var(P), !, P in 0..1, B = P.
'$fd_truth'(P, B) :- integer(P), !, ( P =:= 0 ; P =:= 1 ), !, B = P.
'$fd_truth'(P, B) :- '$fd_connective'(P, X, Y, B, W, Shown), !, B in 0..1, '$fd_truth_of'(X), '$fd_truth_of'(Y), '$fd_post'(W, Shown).
'$fd_truth'(P #<==> Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X #= Y, B).
'$fd_truth'(P #\ Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X #\= Y, B).
'$fd_truth'(P #==> Q, B) :- !, '$fd_truth'(#\ P #\/ Q, B).
'$fd_truth'(P #<== Q, B) :- !, '$fd_truth'(Q #==> P, B).
'$fd_truth'(#\ P, B) :- !, '$fd_truth'(P, X), X in 0..1, B #= 1-X.
'$fd_truth'(?(P), B) :- !, '$fd_truth'(P, B).
'$fd_truth'(X in D, B) :- !, '$fd_of'(D, Dom), B in 0..1, '$fd_post'(reified(B, in(X, Dom)), X in D #<==> B).
'$fd_truth'(C, B) :- '$fd_comparison'(C, L, R, Op), !, '$fd_form'(L, R, Cs, Vs, K), B in 0..1, '$fd_reified_shown'(Op, Cs, Vs, K, C, S), '$fd_post'(reified(B, lin(Op, Cs, Vs, K)), S #<==> B).
'$fd_truth'(C, _) :- throw(error(domain_error(clpfd_reifiable_expression, C), _)).
'$fd_connective'(P #\/ Q, P-A, Q-B, C, call('$fd_or'(A, B, C)), A #\/ B #<==> C).
'$fd_connective'(P #/\ Q, P-A, Q-B, C, call('$fd_and'(A, B, C)), A #/\ B #<==> C).
'$fd_truth_of'(P-B) :- '$fd_truth'(P, B).
'$fd_comparison'(A #= B, A, B, eq).
'$fd_comparison'(A #\= B, A, B, ne).
'$fd_comparison'(A #=< B, A, B, le).
'$fd_comparison'(A #>= B, B, A, le).
'$fd_comparison'(A #< B, A+1, B, le).
'$fd_comparison'(A #> B, B+1, A, le).
'$fd_reified_shown'(le, [1], [X], K, _, K #>= X) :- !.
'$fd_reified_shown'(le, [-1], [X], K, _, X #>= M) :- !, M is -K.
'$fd_reified_shown'(eq, [1], [X], K, _, X #= K) :- !.
'$fd_reified_shown'(ne, [1], [X], K, _, X #\= K) :- !.
'$fd_reified_shown'(_, _, _, _, C, C).
'$fd_decided'(1, in(X, D)) :- '$fd_narrow'(X, D).
'$fd_decided'(0, in(X, D)) :- '$fd_outside'(D, N), '$fd_narrow'(X, N).
'$fd_decided'(B, lin(Op, Cs, Vs, K)) :- '$fd_regular'(Cs, Vs, Ts), '$fd_parts'(Ts, 0, S, 0, K0), '$fd_collect'(S, S1), pairs_keys_values(S1, Ws, Ds), K1 is K-K0,
    ( B =:= 1 -> '$fd_compare'(Op, Ds, Ws, K1) ; '$fd_opposite'(Op, Ds, K1, Op2, Es, K2), '$fd_compare'(Op2, Es, Ws, K2) ).
'$fd_opposite'(eq, Cs, K, ne, Cs, K).
'$fd_opposite'(ne, Cs, K, eq, Cs, K).
'$fd_opposite'(le, Cs, K, le, Ds, M) :- '$fd_divided'(Cs, -1, Ds), M is -K-1.
% The truth value, where the domains say it.
'$fd_known'(in(X, D), T) :- '$fd_get'(X, D0), '$fd_meet'(D0, D, M), ( M == [] -> T = 0 ; M == D0, T = 1 ).
'$fd_known'(lin(eq, Cs, Vs, K), T) :- '$fd_equal_known'(Cs, Vs, K, T).
'$fd_known'(lin(ne, Cs, Vs, K), T) :- '$fd_equal_known'(Cs, Vs, K, T0), T is 1-T0.
'$fd_known'(lin(le, Cs, Vs, K), T) :- '$fd_sums'(Cs, Vs, 0, 0, 0, 0, 0, L, I, H, J, _), ( J =:= 0, H =< K -> T = 1 ; I =:= 0, L > K, T = 0 ).
'$fd_equal_known'(Cs, Vs, K, T) :- '$fd_free'(Cs, Vs, K, R, Free),
    ( Free == [] -> ( R =:= 0 -> T = 1 ; T = 0 )
    ; Free = [C*V] -> ( R mod C =:= 0, N is R//C, '$fd_get'(V, D), '$fd_within'(D, N) -> fail ; T = 0 )
    ; Free = [C*V, D*W], V == W -> E is C+D, '$fd_equal_known'([E], [V], R, T)
    ; '$fd_sums'(Cs, Vs, 0, 0, 0, 0, 0, L, I, H, J, _), ( I =:= 0, L > K -> T = 0 ; J =:= 0, H < K -> T = 0 ) ).
