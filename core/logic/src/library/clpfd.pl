% Constraints over integers (library(clpfd)). A variable has an attribute fd(Domain, Propagators): the domain is a list of
% intervals L-H in order, the ends of which may be inf and sup; a propagator is p(What, Shown), and p(done, Shown) when it
% can find out nothing more: it is not run and not shown then.

:- op(760, yfx, [#<==>]).
:- op(750, xfy, [#==>]).
:- op(750, yfx, [#<==]).
:- op(740, yfx, [#\/]).
:- op(730, yfx, [#\]).
:- op(720, yfx, [#/\]).
:- op(710, fy, [#\]).
:- op(700, xfx, [#>, #<, #>=, #=<, #=, #\=, in, ins]).
:- op(450, xfx, [..]).

X in D :- '$fd_of'(D, Dom), '$fd_narrow'(X, Dom).
[] ins _.
[X|Xs] ins D :- X in D, Xs ins D.
'$fd_of'(D, _) :- var(D), !, throw(error(instantiation_error, _)).
'$fd_of'(A \/ B, D) :- !, '$fd_of'(A, D1), '$fd_of'(B, D2), append(D1, D2, L), '$fd_union'(L, D).
'$fd_of'(L..H, D) :- !, ( '$fd_less'(H, L) -> D = [] ; D = [L-H] ).
'$fd_of'(N, [N-N]) :- integer(N), !.
'$fd_of'(D, _) :- throw(error(type_error(clpfd_domain, D), _)).
'$fd_union'(L, D) :- predsort('$fd_by_low', L, S), '$fd_join'(S, D).
'$fd_by_low'(O, A-B, C-D) :- ( A == C -> ( B == D -> O = (=) ; '$fd_less'(B, D) -> O = (<) ; O = (>) ) ; '$fd_less'(A, C) -> O = (<) ; O = (>) ).
'$fd_join'([], []).
'$fd_join'([I], [I]) :- !.
'$fd_join'([A-B, C-D|T], R) :- ( B == sup ; C == inf ; integer(B), integer(C), B+1 >= C ), !, '$fd_greatest'(B, D, E), '$fd_join'([A-E|T], R).
'$fd_join'([I|T], [I|R]) :- '$fd_join'(T, R).
'$fd_less'(A, B) :- ( A == sup -> fail ; B == inf -> fail ; A == inf -> true ; B == sup -> true ; A < B ).
'$fd_greatest'(A, B, C) :- ( '$fd_less'(A, B) -> C = B ; C = A ).
'$fd_least'(A, B, C) :- ( '$fd_less'(A, B) -> C = A ; C = B ).
'$fd_meet'([], _, []) :- !.
'$fd_meet'(_, [], []) :- !.
'$fd_meet'([A-B|S], [C-D|T], R) :-
    '$fd_greatest'(A, C, L), '$fd_least'(B, D, H),
    ( '$fd_less'(H, L) -> R = R1 ; R = [L-H|R1] ),
    ( '$fd_less'(B, D) -> '$fd_meet'(S, [C-D|T], R1) ; '$fd_meet'([A-B|S], T, R1) ).
'$fd_get'(X, D, Ps) :- integer(X), !, D = [X-X], Ps = [].
'$fd_get'(X, D, Ps) :- nonvar(X), !, '$must_be'(integer, X), D = [], Ps = [].
'$fd_get'(X, D, Ps) :- get_attr(X, clpfd, fd(D0, Ps0)), !, D = D0, Ps = Ps0.
'$fd_get'(_, [inf-sup], []).
'$fd_put'(X, D, Ps) :- put_attr(X, clpfd, fd(D, Ps)), '$fd_run'(Ps).
'$fd_bound'(fd(D, Ps), V) :- integer(V), !, '$fd_within'(D, V), '$fd_run'(Ps).
'$fd_bound'(fd(D, Ps), V) :- var(V), !, '$fd_get'(V, D0, Qs), '$fd_meet'(D, D0, D1), append(Ps, Qs, All),
    ( D1 = [A-B], A == B -> V = A ; D1 = [_|_], put_attr(V, clpfd, fd(D1, All)) ), '$fd_run'(All).
'$fd_bound'(_, V) :- throw(error(type_error(integer, V), _)).
'$fd_within'([A-B|T], V) :- ( '$fd_less'(V, A) -> fail ; '$fd_less'(B, V) -> '$fd_within'(T, V) ; true ).
'$fd_run'([]).
'$fd_run'([P|Ps]) :- arg(1, P, W), '$fd_propagate'(W), ( '$fd_entailed'(W) -> setarg(1, P, done) ; true ), '$fd_run'(Ps).
'$fd_post'(W, Shown) :- P = p(W, Shown), term_variables(W, Vs), '$fd_attach'(Vs, P), '$fd_run'([P]).
'$fd_entailed'(lin(Op, Cs, Vs, K)) :- '$fd_fixed'(Cs, Vs, K, R, Free), '$fd_always'(Free, Op, R).
'$fd_entailed'(reified(B, _)) :- integer(B).
'$fd_always'([], _, _).
'$fd_always'([_], ne, _) :- !.
'$fd_always'(Free, le, K) :- '$fd_range'(Free, 0, 0, _, H), integer(H), H =< K.
'$fd_attach'([], _).
'$fd_attach'([V|Vs], P) :- '$fd_get'(V, D, Ps), put_attr(V, clpfd, fd(D, [P|Ps])), '$fd_attach'(Vs, P).
'$fd_low'(X, L) :- '$fd_get'(X, [L-_|_], _).
'$fd_high'(X, H) :- '$fd_get'(X, D, _), '$last_interval'(D, H).
'$last_interval'([_-H], H) :- !.
'$last_interval'([_|T], H) :- '$last_interval'(T, H).
'$fd_remove'(X, V) :- ( integer(X) -> X =\= V ; L is V-1, H is V+1, '$fd_narrow'(X, [inf-L, H-sup]) ).
'$fd_between'(X, L, H) :- ( L == inf, H == sup -> true ; '$fd_less'(H, L) -> fail ; '$fd_narrow'(X, [L-H]) ).
'$fd_narrow'(X, D) :- '$fd_get'(X, D0, Ps), '$fd_meet'(D0, D, D1), D1 = [A-B|T],
    ( D1 == D0 -> true ; T == [], A == B -> X = A ; '$fd_put'(X, D1, Ps) ).

% Linear forms.
A #= B :- ( integer(B), var(A), \+ attvar(A) -> A = B ; var(A), ground(B) -> A is B ; '$fd_linear'(A, B, eq) ).
A #\= B :- ( '$fd_distance'(A, B, E, D) ; '$fd_distance'(B, A, E, D) ), !, ( D >= 0 -> N is -D, E #\= D, E #\= N ; true ).
A #\= B :- '$fd_linear'(A, B, ne).
% A distance that is not one of two numbers prunes as these do.
'$fd_distance'(A, B, E, D) :- nonvar(A), A = abs(E), \+ ground(E), ground(B), D is B.
A #=< B :- '$fd_linear'(A, B, le).
A #>= B :- '$fd_linear'(B, A, le).
A #< B :- '$fd_linear'(A+1, B, le).
A #> B :- '$fd_linear'(B+1, A, le).
'$fd_linear'(A, B, Op) :-
    '$fd_parse'(A, 1, [], S0, 0, K0), '$fd_parse'(B, -1, S0, S1, K0, K1), '$fd_collect'(S1, S), K is -K1,
    pairs_keys_values(S, Vs, Cs),
    ( Vs == [] -> '$fd_holds'(Op, K)
    ; Vs = [V] -> Cs = [C], '$fd_single'(Op, C, V, K)
    ; Op == eq, Vs = [X, Y], ( Cs = [1, -1] ; Cs = [-1, 1] ), K =:= 0 -> X = Y
    ; '$fd_shown'(Op, Cs, Vs, K, Shown), '$fd_post'(lin(Op, Cs, Vs, K), Shown) ).
'$fd_single'(eq, C, V, K) :- K mod C =:= 0, V0 is K//C, '$fd_narrow'(V, [V0-V0]).
'$fd_single'(ne, C, V, K) :- ( K mod C =:= 0 -> N is K//C, '$fd_remove'(V, N) ; true ).
'$fd_single'(le, C, V, K) :- '$fd_divide'(C, inf, K, L, H), '$fd_between'(V, L, H).
'$fd_holds'(eq, 0).
'$fd_holds'(ne, K) :- K =\= 0.
'$fd_holds'(le, K) :- K >= 0.
'$fd_parse'(E, C, S, [E-C|S], K, K) :- var(E), !.
'$fd_parse'(E, C, S, S, K0, K) :- integer(E), !, K is K0+C*E.
'$fd_parse'(A+B, C, S0, S, K0, K) :- !, '$fd_parse'(A, C, S0, S1, K0, K1), '$fd_parse'(B, C, S1, S, K1, K).
'$fd_parse'(A-B, C, S0, S, K0, K) :- !, D is -C, '$fd_parse'(A, C, S0, S1, K0, K1), '$fd_parse'(B, D, S1, S, K1, K).
'$fd_parse'(-A, C, S0, S, K0, K) :- !, D is -C, '$fd_parse'(A, D, S0, S, K0, K).
'$fd_parse'(A*B, C, S0, S, K0, K) :- ground(A), !, D is C*A, '$fd_parse'(B, D, S0, S, K0, K).
'$fd_parse'(A*B, C, S0, S, K0, K) :- ground(B), !, D is C*B, '$fd_parse'(A, D, S0, S, K0, K).
'$fd_parse'(E, C, S, [Z-C|S], K, K) :- compound(E), E =.. [F|As], memberchk(F, [*, //, div, mod, rem, abs, min, max, ^]), !,
    '$fd_values'(As, Vs), T =.. [F|Vs], '$fd_post'(fun(T, Z), T #= Z).
'$fd_parse'(E, _, _, _, _, _) :- throw(error(type_error(evaluable, E), _)).
'$fd_values'([], []).
'$fd_values'([A|As], [V|Vs]) :- ( var(A) -> V = A ; integer(A) -> V = A ; V #= A ), '$fd_values'(As, Vs).
'$fd_collect'([], []).
'$fd_collect'([V-C|T], S) :- integer(V), !, throw(error(system_error(clpfd(V-C-T-S)), _)).
'$fd_collect'(L, S) :- '$reversed'(L, [], R), '$fd_merge'(R, S).
'$fd_merge'([], []).
'$fd_merge'([V-C|T], S) :- '$fd_same'(T, V, C, D, R), ( D =:= 0 -> S = S1 ; S = [V-D|S1] ), '$fd_merge'(R, S1).
'$fd_same'([], _, C, C, []).
'$fd_same'([W-D|T], V, C0, C, R) :- ( W == V -> C1 is C0+D, R = R1 ; C1 = C0, R = [W-D|R1] ), '$fd_same'(T, V, C1, C, R1).
'$fd_shown'(le, [1, -1], [X, Y], K, S) :- !, ( K =:= 0 -> S = (Y #>= X) ; S = (X #=< Y+K) ).
'$fd_shown'(le, [-1, 1], [X, Y], K, S) :- !, ( K =:= 0 -> S = (X #>= Y) ; S = (Y #=< X+K) ).
'$fd_shown'(ne, [1, -1], [X, Y], 0, X #\= Y) :- !.
'$fd_shown'(Op, Cs, Vs, K, S) :- '$fd_sum'(Cs, Vs, none, E), memberchk(Op-F, [eq-(#=), ne-(#\=), le-(#=<)]), S =.. [F, E, K].
'$fd_sum'([], [], E, E).
'$fd_sum'([C|Cs], [V|Vs], E0, E) :- ( C =:= 1 -> T = V ; T = C*V ),
    ( E0 == none -> E1 = T ; C =:= -1 -> E1 = E0-V ; E1 = E0+T ), '$fd_sum'(Cs, Vs, E1, E).

'$fd_propagate'(done) :- !.
'$fd_propagate'(lin(ne, Cs, Vs, K)) :- !, '$fd_fixed'(Cs, Vs, K, R, Free),
    ( Free == [] -> R =\= 0 ; Free = [C*V] -> ( R mod C =:= 0 -> N is R//C, '$fd_remove'(V, N) ; true ) ; Free = [C*V, D*W], V == W -> '$fd_propagate'(lin(ne, [C+D], [V], R)) ; true ).
'$fd_propagate'(lin(Op, Cs, Vs, K)) :- !, '$fd_fixed'(Cs, Vs, K, R, Free),
    ( Free == [] -> '$fd_holds'(Op, R) ; '$fd_bounds'(Free, [], Op, R) ).
'$fd_propagate'(fun(T, Z)) :- !, '$fd_function'(T, Z).
'$fd_propagate'(distinct(Vs)) :- !, '$fd_distinct'(Vs, Vs, 1).
'$fd_propagate'(element(I, L, V)) :- !, '$fd_element'(I, L, V).
'$fd_propagate'(tuple(T, Rel)) :- !, '$fd_fitting'(Rel, T, Fit), Fit = [_|_], '$fd_columns'(T, Fit).
'$fd_propagate'(lex(A, B)) :- !, '$fd_lex'(A, B).
'$fd_propagate'(circuit(Vs)) :- !, '$length'(Vs, N), '$fd_tours'(Vs, Vs, 1, N).
'$fd_propagate'(tasks(Ts, L)) :- !, '$fd_load'(Ts, Ts, L).
'$fd_propagate'(reified(B, C)) :- ( B == 1 -> call(C) ; B == 0 -> '$fd_negated'(C, N), call(N) ; '$fd_decide'(C, B) ).
'$fd_fixed'([], [], K, K, []).
'$fd_fixed'([C0|Cs], [V|Vs], K0, K, Free) :- C is C0, ( integer(V) -> K1 is K0-C*V, Free = F1 ; K1 = K0, Free = [C*V|F1] ), '$fd_fixed'(Cs, Vs, K1, K, F1).
'$fd_bounds'([], _, _, _).
'$fd_bounds'([C*V|T], Before, Op, K) :-
    ( integer(V) -> true
    ; '$fd_range'(T, 0, 0, L0, H0), '$fd_range'(Before, L0, H0, L, H),
      '$fd_minus'(K, L, Top), ( Op == eq -> '$fd_minus'(K, H, Bottom) ; Bottom = inf ),
      '$fd_divide'(C, Bottom, Top, Low, High), '$fd_between'(V, Low, High) ),
    '$fd_bounds'(T, [C*V|Before], Op, K).
'$fd_range'([], L, H, L, H).
'$fd_range'([C*V|T], L0, H0, L, H) :- '$fd_low'(V, A), '$fd_high'(V, B),
    ( C > 0 -> '$fd_times'(C, A, P), '$fd_times'(C, B, Q) ; '$fd_times'(C, B, P), '$fd_times'(C, A, Q) ),
    '$fd_plus'(L0, P, L1), '$fd_plus'(H0, Q, H1), '$fd_range'(T, L1, H1, L, H).
'$fd_times'(C, B, R) :- ( integer(B) -> R is C*B ; C > 0 -> R = B ; B == inf -> R = sup ; R = inf ).
'$fd_plus'(A, B, C) :- ( integer(A), integer(B) -> C is A+B ; integer(A) -> C = B ; C = A ).
'$fd_minus'(K, B, R) :- ( integer(B) -> R is K-B ; B == inf -> R = sup ; R = inf ).
'$fd_divide'(C, B, T, L, H) :- ( C > 0 -> '$fd_up'(B, C, L), '$fd_down'(T, C, H) ; '$fd_up'(T, C, L), '$fd_down'(B, C, H) ).
'$fd_up'(N, C, L) :- ( integer(N) -> L is -((-N) div C) ; L = inf ).
'$fd_down'(N, C, H) :- ( integer(N) -> H is N div C ; H = sup ).

'$fd_function'(T, Z) :- ground(T), !, T =.. [F|As], '$fd_defined'(F, As), Z0 is T, '$fd_narrow'(Z, [Z0-Z0]).
'$fd_function'(X*Y, Z) :- !, '$fd_products'(X, Y, L, H), '$fd_between'(Z, L, H),
    ( integer(X), X =\= 0, var(Y) -> '$fd_quotient'(Z, X, Y) ; integer(Y), Y =\= 0, var(X) -> '$fd_quotient'(Z, Y, X) ; true ).
'$fd_function'(abs(X), Z) :- !, '$fd_between'(Z, 0, sup), '$fd_high'(Z, H), ( integer(H) -> L is -H, '$fd_between'(X, L, H) ; true ).
'$fd_function'(_ mod Y, Z) :- integer(Y), Y > 0, !, H is Y-1, '$fd_between'(Z, 0, H).
'$fd_function'(max(X, Y), Z) :- !, '$fd_high'(X, A), '$fd_high'(Y, B), '$fd_greatest'(A, B, H), '$fd_low'(X, C), '$fd_low'(Y, D), '$fd_greatest'(C, D, L), '$fd_between'(Z, L, H).
'$fd_function'(min(X, Y), Z) :- !, '$fd_high'(X, A), '$fd_high'(Y, B), '$fd_least'(A, B, H), '$fd_low'(X, C), '$fd_low'(Y, D), '$fd_least'(C, D, L), '$fd_between'(Z, L, H).
'$fd_function'(_, _).
'$fd_defined'(F, [_, B]) :- memberchk(F, [//, div, mod, rem]), !, B =\= 0.
'$fd_defined'(_, _).
'$fd_products'(X, Y, L, H) :- '$fd_low'(X, A), '$fd_high'(X, B), '$fd_low'(Y, C), '$fd_high'(Y, D),
    ( integer(A), integer(B), integer(C), integer(D) -> L is min(min(A*C, A*D), min(B*C, B*D)), H is max(max(A*C, A*D), max(B*C, B*D))
    ; integer(A), A >= 0, integer(C), C >= 0 -> L is A*C, H = sup
    ; L = inf, H = sup ).
'$fd_quotient'(Z, C, Y) :- '$fd_low'(Z, L0), '$fd_high'(Z, H0), '$fd_divide'(C, L0, H0, L, H), '$fd_between'(Y, L, H),
    ( integer(Z), integer(Y) -> Z =:= C*Y ; integer(Z) -> Z mod C =:= 0, N is Z//C, '$fd_narrow'(Y, [N-N]) ; true ).

all_different(Vs) :- '$fd_post'(distinct(Vs), all_different(Vs)).
all_distinct(Vs) :- '$fd_post'(distinct(Vs), all_distinct(Vs)).
'$fd_distinct'([], _, _).
'$fd_distinct'([V|Vs], All, N) :- ( integer(V) -> '$fd_others'(All, V, N, 1) ; true ), M is N+1, '$fd_distinct'(Vs, All, M).
'$fd_others'([], _, _, _).
'$fd_others'([W|Ws], V, N, I) :- ( I =:= N -> true ; '$fd_remove'(W, V) ), J is I+1, '$fd_others'(Ws, V, N, J).
sum(Vs, Op, E) :- '$fd_total'(Vs, S), G =.. [Op, S, E], call(G).
'$fd_total'([], 0).
'$fd_total'([V|Vs], S) :- '$fd_total'(Vs, V, S).
'$fd_total'([], S, S).
'$fd_total'([V|Vs], S0, S) :- '$fd_total'(Vs, S0+V, S).
scalar_product(Cs, Vs, Op, E) :- maplist([C, V, C*V]>>true, Cs, Vs, Ts), sum(Ts, Op, E).
element(I, L, V) :- length(L, N), I in 1..N, '$fd_post'(element(I, L, V), element(I, L, V)).
'$fd_element'(I, L, V) :- integer(I), !, nth1(I, L, V).
'$fd_element'(I, L, V) :- '$fd_get'(V, D, _), '$fd_get'(I, DI, _),
    findall(J-J, ( nth1(J, L, E), '$fd_within'(DI, J), '$fd_get'(E, DE, _), '$fd_meet'(DE, D, [_|_]) ), Js), '$fd_join'(Js, DJ), '$fd_narrow'(I, DJ).

chain(L, R) :- '$fd_chain_op'(R, Op), '$fd_chain'(L, Op).
'$fd_chain_op'(R, Op) :- ( memberchk(R-Op, [(#<)-(#<), (#>)-(#>), (#=<)-(#=<), (#>=)-(#>=), (#=)-(#=)]) -> true ; throw(error(domain_error(chain_relation, R), _)) ).
'$fd_chain'([X, Y|T], Op) :- !, call(Op, X, Y), '$fd_chain'([Y|T], Op).
'$fd_chain'(_, _).
zcompare(O, A, B) :- nonvar(O), !, ( O = (<) -> A #< B ; O = (>) -> A #> B ; O = (=), A #= B ).
zcompare(O, A, B) :- integer(A), integer(B), !, compare(O, A, B).
zcompare(O, A, B) :- freeze(O, zcompare(O, A, B)), when(ground(A-B), ( X is A, Y is B, compare(O, X, Y) )).
tuples_in([], _).
tuples_in([T|Ts], Rel) :- '$fd_post'(tuple(T, Rel), tuples_in([T], Rel)), tuples_in(Ts, Rel).
'$fd_fitting'([], _, []).
'$fd_fitting'([R|Rs], T, Fit) :- ( '$fd_fits'(T, R) -> Fit = [R|F1] ; Fit = F1 ), '$fd_fitting'(Rs, T, F1).
'$fd_fits'([], []).
'$fd_fits'([V|Vs], [N|Ns]) :- '$fd_get'(V, D, _), '$fd_within'(D, N), '$fd_fits'(Vs, Ns).
'$fd_columns'([], _).
'$fd_columns'([V|Vs], Rows) :- '$fd_heads'(Rows, Hs, Rest), '$fd_union'(Hs, D), '$fd_narrow'(V, D), '$fd_columns'(Vs, Rest).
'$fd_heads'([], [], []).
'$fd_heads'([[N|Ns]|Rows], [N-N|Hs], [Ns|Rest]) :- '$fd_heads'(Rows, Hs, Rest).
lex_chain([A, B|T]) :- !, '$fd_post'(lex(A, B), lex_chain([A, B])), lex_chain([B|T]).
lex_chain(_).
'$fd_lex'([], []).
'$fd_lex'([A|As], [B|Bs]) :- '$fd_high'(B, H), '$fd_between'(A, inf, H), '$fd_low'(A, L), '$fd_between'(B, L, sup),
    ( A == B -> '$fd_lex'(As, Bs) ; true ).
global_cardinality(Vs, Ps) :- global_cardinality(Vs, Ps, []).
global_cardinality(Vs, Ps, _) :- pairs_keys(Ps, Ks), findall(K-K, '$element'(K, Ks), Is), '$fd_union'(Is, D), '$fd_all_in'(Vs, D),
    '$length'(Vs, N), '$fd_occurrences'(Ps, Vs, N).
'$fd_all_in'([], _).
'$fd_all_in'([V|Vs], D) :- '$fd_narrow'(V, D), '$fd_all_in'(Vs, D).
'$fd_occurrences'([], _, _).
'$fd_occurrences'([K-C|Ps], Vs, N) :- C in 0..N, '$fd_equals'(Vs, K, Bs), sum(Bs, #=, C), '$fd_occurrences'(Ps, Vs, N).
'$fd_equals'([], _, []).
'$fd_equals'([V|Vs], K, [B|Bs]) :- '$fd_truth'(V #= K, B), '$fd_equals'(Vs, K, Bs).
circuit(Vs) :- '$length'(Vs, N), Vs ins 1..N, all_different(Vs), ( N > 1 -> '$fd_no_loops'(Vs, 1) ; true ), '$fd_post'(circuit(Vs), circuit(Vs)).
'$fd_no_loops'([], _).
'$fd_no_loops'([V|Vs], I) :- '$fd_remove'(V, I), J is I+1, '$fd_no_loops'(Vs, J).
'$fd_tours'([], _, _, _).
'$fd_tours'([V|Vs], All, I, N) :- ( integer(V) -> '$fd_tour'(V, All, I, 1, N) ; true ), J is I+1, '$fd_tours'(Vs, All, J, N).
'$fd_tour'(V, All, I, Len, N) :- ( var(V) -> true ; V =:= I -> Len =:= N ; Len < N, nth1(V, All, W), L1 is Len+1, '$fd_tour'(W, All, I, L1, N) ).
cumulative(Ts) :- cumulative(Ts, [limit(1)]).
cumulative(Ts, Os) :- ( memberchk(limit(L), Os) -> true ; L = 1 ), '$fd_tasks'(Ts), '$fd_post'(tasks(Ts, L), cumulative(Ts, Os)).
'$fd_tasks'([]).
'$fd_tasks'([task(S, D, E, _, _)|Ts]) :- D #>= 0, S+D #= E, '$fd_tasks'(Ts).
% Where a task certainly runs, the others that certainly run there and it need no more than there is.
'$fd_load'([], _, _).
'$fd_load'([task(S, _, E, _, _)|Ts], All, L) :- '$fd_high'(S, At), '$fd_low'(E, End),
    ( integer(At), integer(End), At < End -> '$fd_used'(All, At, 0, U), '$fd_high'(L, Max), \+ '$fd_less'(Max, U) ; true ), '$fd_load'(Ts, All, L).
'$fd_used'([], _, U, U).
'$fd_used'([task(S, _, E, C, _)|Ts], At, U0, U) :- '$fd_high'(S, Late), '$fd_low'(E, Early),
    ( integer(Late), Late =< At, integer(Early), At < Early -> '$fd_low'(C, N), ( integer(N) -> U1 is U0+N ; U1 = U0 ) ; U1 = U0 ), '$fd_used'(Ts, At, U1, U).

% Truth of constraints.
P #<==> Q :- '$fd_truth'(P, B), '$fd_truth'(Q, B).
P #==> Q :- '$fd_truth'(P, A), '$fd_truth'(Q, B), A #=< B.
P #<== Q :- Q #==> P.
P #\/ Q :- '$fd_truth'(P, A), '$fd_truth'(Q, B), A+B #>= 1.
P #/\ Q :- '$fd_truth'(P, 1), '$fd_truth'(Q, 1).
P #\ Q :- '$fd_truth'(P, A), '$fd_truth'(Q, B), A+B #= 1.
#\ P :- '$fd_truth'(P, 0).
'$fd_truth'(P, B) :- var(P), !, P in 0..1, B = P.
'$fd_truth'(P, B) :- integer(P), !, B = P.
'$fd_truth'(P #<==> Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X #= Y, B).
'$fd_truth'(P #==> Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X #=< Y, B).
'$fd_truth'(P #\/ Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X+Y #>= 1, B).
'$fd_truth'(P #/\ Q, B) :- !, '$fd_truth'(P, X), '$fd_truth'(Q, Y), '$fd_truth'(X+Y #>= 2, B).
'$fd_truth'(#\ P, B) :- !, '$fd_truth'(P, X), B #= 1-X.
'$fd_truth'(C, B) :- B in 0..1, '$fd_post'(reified(B, C), B #<==> C).
'$fd_negated'(A #= B, A #\= B).
'$fd_negated'(A #\= B, A #= B).
'$fd_negated'(A #< B, A #>= B).
'$fd_negated'(A #> B, A #=< B).
'$fd_negated'(A #=< B, A #> B).
'$fd_negated'(A #>= B, A #< B).
'$fd_decide'(C, B) :- ( \+ C -> B = 0 ; '$fd_negated'(C, N), \+ N -> B = 1 ; true ).

% Search.
label(Vs) :- labeling([], Vs).
indomain(X) :- label([X]).
labeling(Os, Vs) :- '$must_be'(list, Os), '$must_be'(list, Vs), '$fd_finite'(Vs),
    ( '$element_of'(O, Os), compound(O), O =.. [How, E], memberchk(How, [min, max]) -> '$fd_best'(How, E, Os, Vs)
    ; '$fd_label'(Vs, Os) ).
'$fd_finite'([]).
'$fd_finite'([V|Vs]) :- '$fd_low'(V, L), '$fd_high'(V, H),
    ( integer(L), integer(H) -> '$fd_finite'(Vs) ; throw(error(instantiation_error, context(labeling/2, 'Arguments are not sufficiently instantiated'))) ).
'$fd_best'(How, E, Os, Vs) :- exclude([O]>>( compound(O) ), Os, Rest),
    findall(N-Vs, ( '$fd_label'(Vs, Rest), N is E ), L0), ( How == max -> sort(1, @>=, L0, L) ; sort(1, @=<, L0, L) ), '$element_of'(_-Vs, L).
'$fd_label'(Vs, Os) :- exclude(integer, Vs, Free), '$fd_label_free'(Free, Os).
'$fd_label_free'([], _) :- !.
'$fd_label_free'(Vs, Os) :- '$fd_choose'(Os, Vs, V), '$fd_get'(V, D, _),
    ( memberchk(down, Os) -> '$reversed'(D, [], R), '$fd_down_value'(R, V) ; '$fd_value'(D, V) ), '$fd_label'(Vs, Os).
'$fd_value'(D, V) :- '$element_of'(L-H, D), between(L, H, V).
'$fd_down_value'(D, V) :- '$element_of'(L-H, D), N is H-L, between(0, N, I), V is H-I.
'$fd_choose'(Os, Vs, V) :- '$element_of'(How-Key, [ff-size, ffc-size, min-low, max-high]), memberchk(How, Os), !, '$fd_keyed'(Vs, Key, 0, Ks), msort(Ks, [k(_, _, V)|_]).
'$fd_choose'(_, [V|_], V).
'$fd_keyed'([], _, _, []).
'$fd_keyed'([V|Vs], Key, I, [k(K, I, V)|Ks]) :- '$fd_key'(Key, V, K), J is I+1, '$fd_keyed'(Vs, Key, J, Ks).
'$fd_key'(size, V, K) :- fd_size(V, K).
'$fd_key'(low, V, K) :- '$fd_low'(V, K).
'$fd_key'(high, V, K) :- '$fd_high'(V, H), K is -H.
fd_var(X) :- get_attr(X, clpfd, _).
fd_inf(X, L) :- '$fd_low'(X, L).
fd_sup(X, H) :- '$fd_high'(X, H).
fd_size(X, N) :- '$fd_get'(X, D, _), '$fd_count'(D, 0, N).
'$fd_count'([], N, N).
'$fd_count'([L-H|T], N0, N) :- ( integer(L), integer(H) -> N1 is N0+H-L+1, '$fd_count'(T, N1, N) ; N = sup ).
fd_dom(X, D) :- '$fd_get'(X, D0, _), '$fd_show'(D0, D).
'$fd_show'([I|T], D) :- '$fd_interval'(I, D0), '$fd_show'(T, D0, D).
'$fd_show'([], D, D).
'$fd_show'([I|T], D0, D) :- '$fd_interval'(I, D1), '$fd_show'(T, D0 \/ D1, D).
'$fd_interval'(L-H, D) :- ( L == H -> D = L ; D = L..H ).
