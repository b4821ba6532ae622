% Constraints over integers (library(clpfd)): domains, propagators, linear forms. A variable has an attribute
% fd(Domain, Propagators, Waiting): the domain is a list of intervals L-H in order, the ends of which may be infinite floats; propagators run
% when it changes, those that wait only when the variable is bound. A propagator is p(What, State, Shown): its state is
% idle, queued, running, again (it changed what it looks at while it ran) or done (it can find out nothing more, and is
% not shown); what is shown of a linear form is made when an answer is written. Domains are narrowed and propagators run
% in Rust (builtins/domains/propagation.rs), which comes back for those that are written here.

:- op(760, yfx, [#<==>]).
:- op(750, xfy, [#==>]).
:- op(750, yfx, [#<==]).
:- op(740, yfx, [#\/]).
:- op(730, yfx, [#\]).
:- op(720, yfx, [#/\]).
:- op(710, fy, [#\]).
:- op(700, xfx, [#>, #<, #>=, #=<, #=, #\=, in, ins, in_set]).
:- op(450, xfx, [..]).

X in D :- '$fd_of'(D, Dom), '$fd_narrow'(X, Dom).
Xs ins D :- '$must_be'(list, Xs), '$fd_of'(D, Dom), '$fd_all_in'(Xs, Dom).
'$fd_all_in'([], _).
'$fd_all_in'([V|Vs], D) :- '$fd_narrow'(V, D), '$fd_all_in'(Vs, D).
'$fd_of'(D, _) :- var(D), !, throw(error(instantiation_error, _)).
'$fd_of'(A \/ B, D) :- !, '$fd_of'(A, D1), '$fd_of'(B, D2), append(D1, D2, L), '$fd_union'(L, D).
'$fd_of'(L..H, D) :- '$fd_end'(L, inf, A), '$fd_end'(H, sup, B), !, ( B < A -> D = [] ; D = [A-B] ).
'$fd_of'(N, [N-N]) :- integer(N), !.
'$fd_of'(D, _) :- throw(error(domain_error(clpfd_domain, D), _)).
'$fd_end'(E, _, _) :- var(E), !, throw(error(instantiation_error, _)).
'$fd_end'(E, _, E) :- integer(E), !.
'$fd_end'(inf, inf, A) :- A is -inf.
'$fd_end'(sup, sup, A) :- A is inf.

% Domains.
'$fd_union'(L, D) :- sort(1, @=<, L, S), '$fd_join'(S, D).
'$fd_join'([], []).
'$fd_join'([I], [I]) :- !.
'$fd_join'([A-B, C-D|T], R) :- ( \+ integer(B), B > 0 ; \+ integer(C), C < 0 ; integer(B), integer(C), B+1 >= C ), !,
    ( B < D -> E = D ; E = B ), '$fd_join'([A-E|T], R).
'$fd_join'([I|T], [I|R]) :- '$fd_join'(T, R).
'$fd_meet'([], _, []) :- !.
'$fd_meet'(_, [], []) :- !.
'$fd_meet'([A-B|S], [C-D|T], R) :-
    ( A < C -> L = C ; L = A ),
    ( B < D -> ( B < L -> R = R1 ; R = [L-B|R1] ), '$fd_meet'(S, [C-D|T], R1)
    ; ( D < L -> R = R1 ; R = [L-D|R1] ), '$fd_meet'([A-B|S], T, R1) ).
% The domain without a value that is in it.
'$fd_without'([A-B|T], V, D) :-
    ( B < V -> D = [A-B|R], '$fd_without'(T, V, R)
    ; V < A -> fail
    ; A == V -> ( B == V -> D = T ; L is V+1, D = [L-B|T] )
    ; H is V-1, ( B == V -> D = [A-H|T] ; L is V+1, D = [A-H, L-B|T] ) ).
'$fd_within'([A-B|T], V) :- ( V < A -> fail ; B < V -> '$fd_within'(T, V) ; true ).
'$fd_moved'([], _, []).
'$fd_moved'([A-B|T], C, [A1-B1|R]) :- '$fd_plus'(A, C, A1), '$fd_plus'(B, C, B1), '$fd_moved'(T, C, R).
'$fd_plus'(A, C, B) :- ( integer(A) -> B is A+C ; B = A ).
'$fd_negated_domain'(D, N) :- '$fd_negated_domain'(D, [], N).
'$fd_negated_domain'([], N, N).
'$fd_negated_domain'([A-B|T], N0, N) :- A1 is -A, B1 is -B, '$fd_negated_domain'(T, [B1-A1|N0], N).
% What is not in a domain.
'$fd_outside'(D, R) :- Low is -inf, '$fd_outside'(D, Low, R).
'$fd_outside'([], L, [L-H]) :- H is inf.
'$fd_outside'([A-B|T], L, R) :- ( integer(A), H is A-1, L =< H -> R = [L-H|R1] ; R = R1 ),
    ( integer(B) -> L1 is B+1, '$fd_outside'(T, L1, R1) ; R1 = [] ).
'$fd_last'([_-H], H) :- !.
'$fd_last'([_|T], H) :- '$fd_last'(T, H).

% Variables and their domains.
'$fd_get'(X, D) :- integer(X), !, D = [X-X].
'$fd_get'(X, D) :- get_attr(X, clpfd, fd(D0, _, _)), !, D = D0.
'$fd_get'(X, [L-H]) :- var(X), !, L is -inf, H is inf.
'$fd_get'(X, _) :- throw(error(type_error(integer, X), _)).
'$fd_ends'(X, L, H) :- '$fd_get'(X, D), D = [L-H0|T], ( T == [] -> H = H0 ; '$fd_last'(T, H) ).
'$fd_integer'(X) :- ( var(X), \+ get_attr(X, clpfd, _) -> '$fd_get'(X, D), put_attr(X, clpfd, fd(D, [], [])) ; true ).
'$fd_low'(X, L) :- '$fd_get'(X, [L-_|_]).
'$fd_high'(X, H) :- '$fd_ends'(X, _, H).
% What Prolog does itself has to do with integers beyond machine words, or with what is no integer.
'$fd_narrow'(X, D) :- '$fd_narrow'(X, D, P, Rest), ( P == large -> '$fd_narrow_large'(X, D) ; '$fd_go'(P, Rest) ).
'$fd_narrow_large'(X, D) :- integer(X), !, '$fd_within'(D, X).
'$fd_narrow_large'(X, D) :- get_attr(X, clpfd, fd(D0, Ps, Gs)), !, '$fd_meet'(D0, D, D1), D1 = [A-B|T],
    ( D1 == D0 -> true ; '$fd_set'(T, A, B, X, D1, Ps, Gs) ).
'$fd_narrow_large'(X, D) :- var(X), !, D = [A-B|T], ( T == [], A == B -> X = A ; put_attr(X, clpfd, fd(D, [], [])) ).
'$fd_narrow_large'(X, _) :- throw(error(type_error(integer, X), _)).
'$fd_set'([], A, A, X, _, _, _) :- !, X = A.
'$fd_set'(_, _, _, X, D, Ps, Gs) :- get_attr(X, clpfd, fd(D0, _, _)), put_attr(X, clpfd, fd(D, Ps, Gs)), ( '$fd_moves_on'(D0, D) -> true ; '$fd_run'(Ps) ).
% A domain without end has only its other end moved: propagators that push each other's ends would not come to rest.
'$fd_moves_on'([A-_|_], [B-C|D]) :- integer(A), A =\= B, '$fd_last'([B-C|D], H), \+ integer(H), !.
'$fd_moves_on'(D0, [B-C|D]) :- \+ integer(B), '$fd_last'(D0, H0), integer(H0), '$fd_last'([B-C|D], H), H =\= H0.
'$fd_remove'(X, V) :- '$fd_remove'(X, V, P, Rest), ( P == large -> '$fd_remove_large'(X, V) ; '$fd_go'(P, Rest) ).
'$fd_remove_large'(X, V) :- integer(X), !, X =\= V.
'$fd_remove_large'(X, V) :- get_attr(X, clpfd, fd(D0, Ps, Gs)), !,
    ( '$fd_without'(D0, V, D) -> D = [A-B|T], '$fd_set'(T, A, B, X, D, Ps, Gs) ; true ).
'$fd_remove_large'(X, V) :- '$fd_outside'([V-V], D), '$fd_narrow'(X, D).
'$fd_between'(X, L, H) :- L =< H, '$fd_narrow'(X, [L-H]).
'$fd_above'(X, L) :- ( integer(L) -> H is inf, '$fd_narrow'(X, [L-H]) ; true ).
'$fd_below'(X, H) :- ( integer(H) -> L is -inf, '$fd_narrow'(X, [L-H]) ; true ).
'$fd_bound'(fd(D, Ps, Gs), V) :- integer(V), !, '$fd_within'(D, V), '$fd_propagate'(Gs, Ps, P, Rest), '$fd_go'(P, Rest).
'$fd_bound'(fd(D, Ps, Gs), V) :- var(V), !, '$fd_get'(V, D0), '$fd_meet'(D, D0, D1), D1 = [A-B|T],
    ( get_attr(V, clpfd, fd(_, Qs, Hs)) -> append(Qs, Ps, All), append(Hs, Gs, Waiting) ; All = Ps, Waiting = Gs ),
    put_attr(V, clpfd, fd(D1, All, Waiting)),
    ( T == [], A == B -> V = A ; '$fd_shared'(All), '$fd_propagate'(Waiting, All, P, Rest), '$fd_go'(P, Rest) ).
'$fd_bound'(_, V) :- throw(error(type_error(integer, V), _)).
% A variable that became another one occurs twice in linear forms.
'$fd_shared'([]).
'$fd_shared'([P|Ps]) :- arg(1, P, W), ( W = lin(Op, Cs, Vs, K) -> '$fd_regular'(Cs, Vs, Ts), '$fd_parts'(Ts, 0, S, 0, K0),
    K1 is K-K0, '$fd_collect'(S, S1), pairs_keys_values(S1, Ws, Ds), setarg(1, P, lin(Op, Ds, Ws, K1)) ; true ), '$fd_shared'(Ps).
'$fd_regular'([], [], []).
'$fd_regular'([C|Cs], [V|Vs], [V-C|Ts]) :- '$fd_regular'(Cs, Vs, Ts).
'$fd_parts'([], _, [], K, K).
'$fd_parts'([V-C|Ts], I, S, K0, K) :- ( integer(V) -> K1 is K0+C*V, S = S1 ; K1 = K0, S = [V-C|S1] ), '$fd_parts'(Ts, I, S1, K1, K).

% Propagators.
'$fd_run'(Ps) :- '$fd_propagate'([], Ps, P, Rest), '$fd_go'(P, Rest).
'$fd_go'(P, Rest) :- ( P == [] -> true ; ( P == again -> true ; '$fd_start'(P) ), '$fd_resume'(Rest, P1, Rest1), '$fd_go'(P1, Rest1) ).
'$fd_start'(P) :- setarg(2, P, running), arg(1, P, W), '$fd_do'(W, P), arg(2, P, S), '$fd_ended'(S, P).
'$fd_ended'(running, P) :- setarg(2, P, idle).
'$fd_ended'(again, P) :- setarg(2, P, idle), '$fd_run'([P]).
'$fd_ended'(done, _).
'$fd_done'(P) :- setarg(2, P, done).
% A propagator that runs at changes of its variables, or only when they are bound.
'$fd_post'(W, Shown) :- P = p(W, idle, Shown), term_variables(W, Vs), '$fd_attach'(Vs, P), '$fd_run'([P]).
'$fd_post_waiting'(W, Shown) :- P = p(W, idle, Shown), term_variables(W, Vs), '$fd_attach_waiting'(Vs, P), '$fd_run'([P]).
'$fd_attach'([], _).
'$fd_attach'([V|Vs], P) :- ( get_attr(V, clpfd, fd(D, Ps, Gs)) -> true ; '$fd_get'(V, D), Ps = [], Gs = [] ),
    put_attr(V, clpfd, fd(D, [P|Ps], Gs)), '$fd_attach'(Vs, P).
'$fd_attach_waiting'([], _).
'$fd_attach_waiting'([V|Vs], P) :- ( get_attr(V, clpfd, fd(D, Ps, Gs)) -> true ; '$fd_get'(V, D), Ps = [], Gs = [] ),
    put_attr(V, clpfd, fd(D, Ps, [P|Gs])), '$fd_attach_waiting'(Vs, P).

'$fd_do'(differs(X, Y, C), P) :-
    ( integer(X) -> '$fd_done'(P), V is X-C, '$fd_remove'(Y, V)
    ; integer(Y) -> '$fd_done'(P), V is Y+C, '$fd_remove'(X, V)
    ; X == Y -> C =\= 0, '$fd_done'(P)
    ; true ).
'$fd_do'(apart(X, Y, C), P) :-
    ( integer(X) -> '$fd_done'(P), V is X-C, W is X+C, '$fd_remove'(Y, V), '$fd_remove'(Y, W)
    ; integer(Y) -> '$fd_done'(P), V is Y-C, W is Y+C, '$fd_remove'(X, V), '$fd_remove'(X, W)
    ; X == Y -> C =\= 0, '$fd_done'(P)
    ; true ).
'$fd_do'(one(Left, X, Right), P) :- ( integer(X) -> '$fd_done'(P), '$fd_exclude'(Left, X), '$fd_exclude'(Right, X) ; '$fd_no_other'(Left, X), '$fd_no_other'(Right, X) ).
'$fd_do'(lin(ne, Cs, Vs, K), P) :- '$fd_free'(Cs, Vs, K, R, Free),
    ( Free == [] -> R =\= 0 ; Free = [C*V] -> '$fd_done'(P), ( R mod C =:= 0 -> N is R//C, '$fd_remove'(V, N) ; true ) ; true ).
'$fd_do'(lin(eq, Cs, Vs, K), P) :- '$fd_sums'(Cs, Vs, 0, 0, 0, 0, 0, L, I, H, J, N),
    ( N =:= 0 -> '$fd_done'(P), L =:= K
    ; ( I =:= 0 -> L =< K ; true ), ( J =:= 0 -> K =< H ; true ),
      ( N =:= 1 -> '$fd_done'(P), '$fd_free'(Cs, Vs, K, R, [C*V]), '$fd_single'(eq, C, V, R)
      ; ( I =< 1 -> '$fd_prune_down'(Cs, Vs, K, L, I) ; true ),
        ( J =< 1 -> '$fd_prune_up'(Cs, Vs, K, H, J) ; true ) ) ).
'$fd_do'(lin(le, Cs, Vs, K), P) :- '$fd_sums'(Cs, Vs, 0, 0, 0, 0, 0, L, I, H, J, N),
    ( J =:= 0, H =< K -> '$fd_done'(P)
    ; N > 0, ( I =:= 0 -> L =< K ; true ),
      ( N =:= 1 -> '$fd_done'(P) ; true ),
      ( I =< 1 -> '$fd_prune_down'(Cs, Vs, K, L, I) ; true ) ).
'$fd_do'(shift(X, Y, C), P) :-
    ( integer(X) -> '$fd_done'(P), V is X+C, '$fd_narrow'(Y, [V-V])
    ; integer(Y) -> '$fd_done'(P), V is Y-C, '$fd_narrow'(X, [V-V])
    ; X == Y -> '$fd_done'(P), C =:= 0
    ; '$fd_get'(X, DX), '$fd_moved'(DX, C, D1), '$fd_narrow'(Y, D1), M is -C, '$fd_get'(Y, DY), '$fd_moved'(DY, M, D2), '$fd_narrow'(X, D2) ).
'$fd_do'(mirror(X, Y, C), P) :-
    ( integer(X) -> '$fd_done'(P), V is C-X, '$fd_narrow'(Y, [V-V])
    ; integer(Y) -> '$fd_done'(P), V is C-Y, '$fd_narrow'(X, [V-V])
    ; X == Y -> '$fd_done'(P), C mod 2 =:= 0, V is C//2, '$fd_narrow'(X, [V-V])
    ; '$fd_get'(X, DX), '$fd_negated_domain'(DX, N1), '$fd_moved'(N1, C, D1), '$fd_narrow'(Y, D1),
      '$fd_get'(Y, DY), '$fd_negated_domain'(DY, N2), '$fd_moved'(N2, C, D2), '$fd_narrow'(X, D2) ).
'$fd_do'(fun(F, X, Y, Z), P) :- '$fd_function'(F, X, Y, Z, P).
% Integers beyond machine words are matched with nothing.
'$fd_do'(distinct(Vs), P) :- ( ground(Vs) -> '$fd_done'(P) ; true ).
'$fd_do'(element(I, L, V), P) :- '$fd_element'(I, L, V, P).
'$fd_do'(tuple(T, Rows), P) :- '$fd_fitting'(Rows, T, Fit), Fit = [_|Rest],
    ( Rest == [] -> '$fd_done'(P) ; setarg(1, P, tuple(T, Fit)), setarg(3, P, tuples_in([T], Fit)) ), '$fd_columns'(T, Fit).
'$fd_do'(lex(A, B), P) :- '$fd_lex'(A, B, P).
'$fd_do'(circuit(Vs), _) :- '$length'(Vs, N), '$fd_tours'(Vs, Vs, 1, N).
'$fd_do'(tasks(Ts, L), _) :- '$fd_load'(Ts, Ts, L).
'$fd_do'(reified(B, C), P) :- ( integer(B) -> '$fd_done'(P), '$fd_decided'(B, C) ; '$fd_known'(C, T) -> '$fd_done'(P), B = T ; true ).
'$fd_do'(call(G), P) :- '$fd_call'(G, P).
'$fd_exclude'([], _).
'$fd_exclude'([V|Vs], X) :- '$fd_remove'(V, X), '$fd_exclude'(Vs, X).
'$fd_no_other'([], _).
'$fd_no_other'([V|Vs], X) :- V \== X, '$fd_no_other'(Vs, X).
'$fd_free'([], [], K, K, []).
'$fd_free'([C|Cs], [V|Vs], K0, K, Free) :- ( integer(V) -> K1 is K0-C*V, Free = F1 ; K1 = K0, Free = [C*V|F1] ), '$fd_free'(Cs, Vs, K1, K, F1).
% The least and the greatest value of a sum, the numbers of infinite terms in them, and the number of variables.
'$fd_sums'([], [], L, I, H, J, N, L, I, H, J, N).
'$fd_sums'([C|Cs], [V|Vs], L0, I0, H0, J0, N0, L, I, H, J, N) :-
    ( integer(V) -> L1 is L0+C*V, H1 is H0+C*V, '$fd_sums'(Cs, Vs, L1, I0, H1, J0, N0, L, I, H, J, N)
    ; '$fd_ends'(V, A, B), N1 is N0+1, ( C > 0 -> P = A, Q = B ; P = B, Q = A ),
      ( integer(P) -> L1 is L0+C*P, I1 = I0 ; L1 = L0, I1 is I0+1 ),
      ( integer(Q) -> H1 is H0+C*Q, J1 = J0 ; H1 = H0, J1 is J0+1 ),
      '$fd_sums'(Cs, Vs, L1, I1, H1, J1, N1, L, I, H, J, N) ).
% Each term is at most what the sum may be without the least values of the others, and at least what it may be without
% their greatest ones. Domains that shrank meanwhile only make this weaker.
'$fd_prune_down'([], [], _, _, _).
'$fd_prune_down'([C|Cs], [V|Vs], K, L, I) :-
    ( integer(V) -> true
    ; '$fd_ends'(V, A, B), ( C > 0 -> E = A ; E = B ),
      ( integer(E) -> ( I =:= 0 -> '$fd_at_most'(C, K-L+C*E, V, A, B) ; true ) ; '$fd_at_most'(C, K-L, V, A, B) ) ),
    '$fd_prune_down'(Cs, Vs, K, L, I).
'$fd_at_most'(C, E, V, A, B) :- T is E,
    ( C > 0 -> N is T div C, ( B =< N -> true ; A =< N, '$fd_between'(V, A, N) )
    ; N is -(T div (-C)), ( A >= N -> true ; N =< B, '$fd_between'(V, N, B) ) ).
'$fd_prune_up'([], [], _, _, _).
'$fd_prune_up'([C|Cs], [V|Vs], K, H, J) :-
    ( integer(V) -> true
    ; '$fd_ends'(V, A, B), ( C > 0 -> E = B ; E = A ), D is -C,
      ( integer(E) -> ( J =:= 0 -> '$fd_at_most'(D, H-C*E-K, V, A, B) ; true ) ; '$fd_at_most'(D, H-K, V, A, B) ) ),
    '$fd_prune_up'(Cs, Vs, K, H, J).

% Comparisons and linear forms.
A #= B :- '$integer_value'(B, V), !, ( var(A) -> ( attvar(A) -> '$fd_narrow'(A, [V-V]) ; A = V ) ; '$integer_value'(A, W) -> V =:= W ; '$fd_linear'(A, V, eq) ).
A #= B :- ( var(A), integer(B) -> '$fd_narrow'(A, [B-B]) ; integer(A), integer(B) -> A = B
    ; var(A), nonvar(B), '$fd_shifted'(B, A, X, N, Y) -> '$fd_post'(shift(X, Y, N), X+N #= Y)
    ; var(B), nonvar(A), '$fd_shifted'(A, B, X, N, Y) -> '$fd_post'(shift(X, Y, N), X+N #= Y)
    ; '$fd_linear'(A, B, eq) ).
% `B+N` or `B-N` that is to be `A`: `X+N` is `Y` then.
'$fd_shifted'(B+N, A, B, N, A) :- var(B), integer(N), N > 0, A \== B.
'$fd_shifted'(B-N, A, A, N, B) :- var(B), integer(N), N > 0, A \== B.
A #\= B :- '$integer_value'(A, V), '$integer_value'(B, W), !, V =\= W.
A #\= B :- ( integer(A), nonvar(B), B = abs(E) ; integer(B), nonvar(A), A = abs(E) ), nonvar(E), E = X-Y, !,
    ( integer(A) -> C = A ; C = B ), '$fd_value'(X, V), '$fd_value'(Y, W), ( C >= 0 -> '$fd_post_waiting'(apart(V, W, C), abs(V-W) #\= C) ; true ).
A #\= B :- ( var(A), integer(B) -> '$fd_remove'(A, B) ; '$fd_linear'(A, B, ne) ).
A #=< B :- B #>= A.
A #>= B :- '$integer_value'(A, V), '$integer_value'(B, W), !, V >= W.
A #>= B :- ( integer(A), nonvar(B), '$fd_abs_term'(B, A, E, H) -> L is -H, '$fd_value'(E, V), '$fd_between'(V, L, H) ; '$fd_linear'(B, A, le) ).
'$fd_abs_term'(abs(E), H, E, H).
'$fd_abs_term'(T+N, H0, E, H) :- nonvar(T), integer(N), T = abs(E), H is H0-N.
A #< B :- B #> A.
A #> B :- '$integer_value'(A, V), '$integer_value'(B, W), !, V > W.
A #> B :- '$fd_linear'(B+1, A, le).
'$fd_linear'(A, B, Op) :- '$fd_form'(A, B, Cs, Vs, K), '$fd_compare'(Op, Cs, Vs, K).
'$fd_form'(A, B, Cs, Vs, K) :- '$fd_parse'(A, 1, [], S0, 0, K0), '$fd_parse'(B, -1, S0, S1, K0, K1), '$fd_parts'(S1, 0, S2, K1, K2),
    '$fd_collect'(S2, S), K is -K2, pairs_keys_values(S, Vs, Cs).
'$fd_compare'(Op, [], _, K) :- !, '$fd_holds'(Op, K).
'$fd_compare'(Op, [C], [V], K) :- !, '$fd_single'(Op, C, V, K).
'$fd_compare'(eq, Cs0, Vs, K0) :- !, '$fd_reduced'(Cs0, K0, Cs, K), '$fd_equal'(Cs, Vs, K).
'$fd_compare'(ne, [1, -1], [X, Y], K) :- !, '$fd_differ'(X, Y, K).
'$fd_compare'(ne, [-1, 1], [X, Y], K) :- !, '$fd_differ'(Y, X, K).
'$fd_compare'(ne, Cs, Vs, K) :- !, '$fd_post_waiting'(lin(ne, Cs, Vs, K), sum).
'$fd_compare'(le, [1, 1], [X, Y], K) :- !, '$fd_compare'(eq, [1, 1, -1], [X, Y, S], 0), '$fd_below'(S, K).
'$fd_compare'(le, [-1, -1], [X, Y], K) :- !, M is -K, '$fd_compare'(eq, [1, 1, -1], [X, Y, S], 0), '$fd_above'(S, M).
'$fd_compare'(le, Cs, Vs, K) :- '$fd_shown'(Cs, Vs, K, Shown), '$fd_post'(lin(le, Cs, Vs, K), Shown).
'$fd_differ'(X, Y, K) :- ( '$fd_ends'(X, A, B), '$fd_ends'(Y, C, D), ( integer(D), A > D+K ; integer(C), B < C+K ) -> true
    ; K =:= 0 -> '$fd_post_waiting'(differs(X, Y, K), X #\= Y) ; '$fd_post_waiting'(differs(X, Y, K), X #\= Y+K) ).
'$fd_shown'([1, -1], [X, Y], K, S) :- !, ( K =:= 0 -> S = (Y #>= X) ; S = (X #=< Y+K) ).
'$fd_shown'([-1, 1], [X, Y], K, S) :- !, ( K =:= 0 -> S = (X #>= Y) ; S = (Y #=< X+K) ).
'$fd_shown'(_, _, _, sum).
'$fd_reduced'(Cs0, K0, Cs, K) :- '$fd_divisor'(Cs0, 0, G), ( G > 1 -> K0 mod G =:= 0, K is K0//G, '$fd_divided'(Cs0, G, Cs) ; Cs = Cs0, K = K0 ).
'$fd_divisor'([], G, G).
'$fd_divisor'([C|Cs], G0, G) :- G1 is gcd(C, G0), '$fd_divisor'(Cs, G1, G).
'$fd_divided'([], _, []).
'$fd_divided'([C|Cs], G, [D|Ds]) :- D is C//G, '$fd_divided'(Cs, G, Ds).
'$fd_equal'([1, -1], [X, Y], K) :- !, ( K =:= 0 -> '$fd_integer'(X), '$fd_integer'(Y), X = Y ; ( K > 0 -> S = (K+Y #= X) ; M is -K, S = (X+M #= Y) ), '$fd_post'(shift(Y, X, K), S) ).
'$fd_equal'([-1, 1], [X, Y], K) :- !, '$fd_equal'([1, -1], [Y, X], K).
'$fd_equal'([1, 1], [X, Y], K) :- !, '$fd_post'(mirror(X, Y, K), X+Y #= K).
'$fd_equal'([-1, -1], [X, Y], K) :- !, M is -K, '$fd_equal'([1, 1], [X, Y], M).
'$fd_equal'([1, C], [X, Y], 0) :- C < 0, !, D is -C, '$fd_post'(lin(eq, [1, C], [X, Y], 0), D*Y #= X).
'$fd_equal'([C, 1], [X, Y], 0) :- C < 0, !, D is -C, '$fd_post'(lin(eq, [C, 1], [X, Y], 0), D*X #= Y).
'$fd_equal'([-1, C], [X, Y], 0) :- C > 0, !, '$fd_post'(lin(eq, [-1, C], [X, Y], 0), C*Y #= X).
'$fd_equal'([C, -1], [X, Y], 0) :- C > 0, !, '$fd_post'(lin(eq, [C, -1], [X, Y], 0), C*X #= Y).
'$fd_equal'(Cs, Vs, K) :- '$fd_post'(lin(eq, Cs, Vs, K), sum).
'$fd_single'(eq, C, V, K) :- K mod C =:= 0, V0 is K//C, '$fd_narrow'(V, [V0-V0]).
'$fd_single'(ne, C, V, K) :- ( K mod C =:= 0 -> N is K//C, '$fd_remove'(V, N) ; true ).
'$fd_single'(le, C, V, K) :- ( C > 0 -> H is K div C, '$fd_below'(V, H) ; L is -(K div (-C)), '$fd_above'(V, L) ).
'$fd_holds'(eq, 0).
'$fd_holds'(ne, K) :- K =\= 0.
'$fd_holds'(le, K) :- K >= 0.
'$fd_parse'(E, C, S, [E-C|S], K, K) :- var(E), !.
'$fd_parse'(E, C, S, S, K0, K) :- integer(E), !, K is K0+C*E.
'$fd_parse'(A+B, C, S0, S, K0, K) :- !, '$fd_parse'(A, C, S0, S1, K0, K1), '$fd_parse'(B, C, S1, S, K1, K).
'$fd_parse'(A-B, C, S0, S, K0, K) :- !, D is -C, '$fd_parse'(A, C, S0, S1, K0, K1), '$fd_parse'(B, D, S1, S, K1, K).
'$fd_parse'(-A, C, S0, S, K0, K) :- !, D is -C, '$fd_parse'(A, D, S0, S, K0, K).
'$fd_parse'(?(A), C, S0, S, K0, K) :- !, '$fd_parse'(A, C, S0, S, K0, K).
'$fd_parse'(#(A), C, S0, S, K0, K) :- !, '$fd_parse'(A, C, S0, S, K0, K).
'$fd_parse'(A*B, C, S0, S, K0, K) :- '$fd_constant'(A, N), !, D is C*N, '$fd_parse'(B, D, S0, S, K0, K).
'$fd_parse'(A*B, C, S0, S, K0, K) :- '$fd_constant'(B, N), !, D is C*N, '$fd_parse'(A, D, S0, S, K0, K).
'$fd_parse'(E, C, S0, S, K0, K) :- '$fd_operation'(E, F, A, B), !, '$fd_value'(A, X), '$fd_value'(B, Y),
    ( integer(X), integer(Y) -> '$fd_defined'(F, X, Y, V), S = S0, K is K0+C*V
    ; '$fd_applied'(F, X, Y, Z), '$fd_parse'(Z, C, S0, S, K0, K) ).
'$fd_parse'(E, _, _, _, _, _) :- throw(error(domain_error(clpfd_expression, E), _)).
'$fd_constant'(E, N) :- ( integer(E) -> N = E ; nonvar(E), ground(E), compound(E), '$fd_value'(E, N), integer(N) ).
'$fd_value'(E, V) :- ( var(E) -> V = E ; integer(E) -> V = E ; '$fd_form'(E, 0, Cs, Vs, K), '$fd_as_value'(Cs, Vs, K, V) ).
'$fd_as_value'([], _, K, V) :- !, V is -K.
'$fd_as_value'([1], [V], 0, V) :- !.
'$fd_as_value'(Cs, Vs, K, V) :- '$fd_compare'(eq, [-1|Cs], [V|Vs], K).
'$fd_collect'([], []) :- !.
'$fd_collect'(L, S) :- '$reversed'(L, [], R), '$fd_merge'(R, S).
'$fd_merge'([], []).
'$fd_merge'([V-C|T], S) :- '$fd_same'(T, V, C, D, R), ( D =:= 0 -> S = S1 ; S = [V-D|S1] ), '$fd_merge'(R, S1).
'$fd_same'([], _, C, C, []).
'$fd_same'([W-D|T], V, C0, C, R) :- ( W == V -> C1 is C0+D, R = R1 ; C1 = C0, R = [W-D|R1] ), '$fd_same'(T, V, C1, C, R1).
