% Search of constraints over integers, and what may be asked of their domains.

:- op(760, yfx, [#<==>]).
:- op(750, xfy, [#==>]).
:- op(750, yfx, [#<==]).
:- op(740, yfx, [#\/]).
:- op(730, yfx, [#\]).
:- op(720, yfx, [#/\]).
:- op(710, fy, [#\]).
:- op(700, xfx, [#>, #<, #>=, #=<, #=, #\=, in, ins, in_set]).
:- op(450, xfx, [..]).

label(Vs) :- labeling([], Vs).
indomain(X) :- label([X]).
labeling(Os, Vs) :- '$must_be'(list, Os), '$must_be'(list, Vs), '$fd_finite'(Vs), '$fd_options'(Os, leftmost, How, up, Order, step, Branch, Es),
    '$fd_search'(Es, s(How, Order, Branch), Vs).
'$fd_finite'([]).
'$fd_finite'([V|Vs]) :- '$fd_ends'(V, L, H),
    ( integer(L), integer(H) -> '$fd_finite'(Vs) ; throw(error(instantiation_error, context(labeling/2, 'Arguments are not sufficiently instantiated'))) ).
'$fd_options'([], H, H, O, O, B, B, []).
'$fd_options'([X|_], _, _, _, _, _, _, _) :- var(X), !, throw(error(instantiation_error, _)).
'$fd_options'([X|Os], H0, H, O0, O, B0, B, Es) :-
    ( memberchk(X, [leftmost, ff, ffc, min, max]) -> '$fd_options'(Os, X, H, O0, O, B0, B, Es)
    ; memberchk(X, [up, down]) -> '$fd_options'(Os, H0, H, X, O, B0, B, Es)
    ; memberchk(X, [step, enum, bisect]) -> '$fd_options'(Os, H0, H, O0, O, X, B, Es)
    ; compound(X), ( X = min(_) ; X = max(_) ) -> Es = [X|Es1], '$fd_options'(Os, H0, H, O0, O, B0, B, Es1)
    ; throw(error(domain_error(labeling_option, X), _)) ).
% The best value is found by looking for better ones until there is none; then come its solutions, then the next best.
'$fd_search'([], S, Vs) :- '$fd_label'(Vs, S).
'$fd_search'([E|Es], S, Vs) :- arg(1, E, T), functor(E, Way, _), V #= T,
    ( findall(V, '$fd_once'(S, Vs, V), [N]) -> '$fd_improve'(Way, V, N, S, Vs, Best), '$fd_best'(V, Best, [E|Es], S, Vs) ).
'$fd_once'(S, Vs, V) :- '$fd_label'(Vs, S), ( integer(V) -> true ; throw(error(instantiation_error, _)) ), !.
'$fd_improve'(Way, V, N, S, Vs, Best) :-
    ( findall(V, ( '$fd_better'(Way, V, N), '$fd_once'(S, Vs, V) ), [M]) -> '$fd_improve'(Way, V, M, S, Vs, Best) ; Best = N ).
'$fd_better'(max, V, N) :- L is N+1, '$fd_above'(V, L).
'$fd_better'(min, V, N) :- H is N-1, '$fd_below'(V, H).
'$fd_best'(V, Best, [_|Es], S, Vs) :- V = Best, '$fd_search'(Es, S, Vs).
'$fd_best'(V, Best, Es, S, Vs) :- '$fd_remove'(V, Best), '$fd_search'(Es, S, Vs).
'$fd_label'(Vs, S) :- '$fd_unbound'(Vs, Free), '$fd_label_free'(Free, S).
'$fd_unbound'([], []).
'$fd_unbound'([V|Vs], Free) :- ( integer(V) -> Free = F1 ; Free = [V|F1] ), '$fd_unbound'(Vs, F1).
'$fd_label_free'([], _).
'$fd_label_free'([W|Ws], S) :- S = s(How, Order, Branch), '$fd_choose'(How, W, Ws, V, Rest), '$fd_branch'(Branch, Order, V, Rest, [W|Ws], S).
'$fd_branch'(step, Order, V, Rest, All, S) :- '$fd_ends'(V, L, H), ( Order == up -> N = L ; N = H ),
    ( '$fd_narrow'(V, [N-N]), '$fd_label'(Rest, S) ; '$fd_remove'(V, N), '$fd_label'(All, S) ).
'$fd_branch'(enum, Order, V, Rest, _, S) :- '$fd_get'(V, D), ( Order == down -> '$reversed'(D, [], R), '$fd_down_value'(R, V) ; '$fd_value_in'(D, V) ), '$fd_label'(Rest, S).
'$fd_branch'(bisect, Order, V, _, All, S) :- '$fd_ends'(V, L, H), M is (L+H) div 2, N is M+1,
    ( Order == up -> ( '$fd_below'(V, M) ; '$fd_above'(V, N) ) ; ( '$fd_above'(V, N) ; '$fd_below'(V, M) ) ), '$fd_label'(All, S).
'$fd_value_in'(D, V) :- '$element_of'(L-H, D), between(L, H, V).
'$fd_down_value'(D, V) :- '$element_of'(L-H, D), N is H-L, between(0, N, I), V is H-I.
'$fd_choose'(leftmost, V, Vs, V, Vs) :- !.
'$fd_choose'(How, W, Ws, V, Rest) :- '$fd_key'(How, W, K), '$fd_choose_from'(Ws, How, K, W, V), '$fd_others'([W|Ws], V, Rest).
'$fd_choose_from'([], _, _, V, V).
'$fd_choose_from'([W|Ws], How, K, V0, V) :- '$fd_key'(How, W, L), ( L @< K -> '$fd_choose_from'(Ws, How, L, W, V) ; '$fd_choose_from'(Ws, How, K, V0, V) ).
'$fd_others'([W|Ws], V, Rest) :- ( W == V -> Rest = Ws ; Rest = [W|R1], '$fd_others'(Ws, V, R1) ).
'$fd_key'(ff, V, K) :- '$fd_get'(V, D), '$fd_count'(D, 0, K).
'$fd_key'(ffc, V, k(N, M)) :- '$fd_get'(V, D), '$fd_count'(D, 0, N), fd_degree(V, G), M is -G.
'$fd_key'(min, V, K) :- '$fd_low'(V, K).
'$fd_key'(max, V, K) :- '$fd_high'(V, H), K is -H.
fd_var(X) :- get_attr(X, clpfd, _).
fd_inf(X, I) :- '$fd_low'(X, L), '$fd_shown_end'(L, I).
fd_sup(X, S) :- '$fd_high'(X, H), '$fd_shown_end'(H, S).
fd_size(X, N) :- '$fd_get'(X, D), '$fd_count'(D, 0, N).
fd_degree(X, N) :- ( get_attr(X, clpfd, fd(_, Ps, Gs)) -> append(Ps, Gs, All), '$fd_active'(All, 0, N) ; N = 0 ).
'$fd_active'([], N, N).
'$fd_active'([P|Ps], N0, N) :- ( arg(2, P, done) -> N1 = N0 ; N1 is N0+1 ), '$fd_active'(Ps, N1, N).
'$fd_count'([], N, N).
'$fd_count'([L-H|T], N0, N) :- ( integer(L), integer(H) -> N1 is N0+H-L+1, '$fd_count'(T, N1, N) ; N = sup ).
fd_dom(X, D) :- '$fd_get'(X, D0), '$fd_as_term'(D0, D).
'$fd_as_term'([], 1..0).
'$fd_as_term'([I|T], D) :- '$fd_interval'(I, D0), '$fd_as_term'(T, D0, D).
'$fd_as_term'([], D, D).
'$fd_as_term'([I|T], D0, D) :- '$fd_interval'(I, D1), '$fd_as_term'(T, D0 \/ D1, D).
'$fd_interval'(L-H, D) :- ( L == H -> D = L ; '$fd_shown_end'(L, A), '$fd_shown_end'(H, B), D = A..B ).
'$fd_shown_end'(E, S) :- ( integer(E) -> S = E ; E > 0 -> S = sup ; S = inf ).
% Sets of integers are domains.
fd_set(X, S) :- '$fd_get'(X, S).
X in_set S :- '$fd_narrow'(X, S).
list_to_fdset(L, S) :- '$fd_constants'(L, Is), '$fd_union'(Is, S).
fdset_to_list(S, L) :- findall(V, '$fd_value_in'(S, V), L).
range_to_fdset(R, S) :- '$fd_of'(R, S).
fdset_to_range(S, R) :- '$fd_as_term'(S, R).
empty_fdset([]).
is_fdset(S) :- is_list(S).
fdset_singleton([N-N], N) :- integer(N).
fdset_interval([L0-H0], L, H) :- '$fd_shown_end'(L0, L), '$fd_shown_end'(H0, H).
fdset_min([L-_|_], M) :- '$fd_shown_end'(L, M).
fdset_max(S, M) :- '$fd_last'(S, H), '$fd_shown_end'(H, M).
fdset_size(S, N) :- '$fd_count'(S, 0, N).
fdset_member(V, S) :- ( integer(V) -> '$fd_within'(S, V) ; '$fd_value_in'(S, V) ).
fdset_union(A, B, C) :- append(A, B, L), '$fd_union'(L, C).
fdset_intersection(A, B, C) :- '$fd_meet'(A, B, C).
fdset_subtract(A, B, C) :- '$fd_outside'(B, N), '$fd_meet'(A, N, C).
fdset_complement(A, B) :- '$fd_outside'(A, B).
fdset_add_element(S, V, T) :- fdset_union(S, [V-V], T).
fdset_del_element(S, V, T) :- ( '$fd_without'(S, V, T0) -> T = T0 ; T = S ).
fdset_eq(A, A).
fdset_subset(A, B) :- '$fd_meet'(A, B, A).
fdset_disjoint(A, B) :- '$fd_meet'(A, B, []).
