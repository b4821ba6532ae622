% Association lists as balanced trees: t, or t(Key, Value, Balance, Left, Right) with Balance one of < - >.

empty_assoc(t).
is_assoc(A) :- nonvar(A), '$is_assoc'(A, _, _, _).
% The least and the greatest key, and the depth; nothing in the empty tree.
'$is_assoc'(t, none, none, 0).
'$is_assoc'(t(K, _, B, L, R), Min, Max, D) :-
    ground(K), nonvar(L), nonvar(R),
    '$is_assoc'(L, LMin, LMax, DL), '$is_assoc'(R, RMin, RMax, DR),
    ( L == t -> Min = K ; LMax @< K, Min = LMin ), ( R == t -> Max = K ; K @< RMin, Max = RMax ),
    ( DL =:= DR -> B == (-), D is DL+1 ; DL =:= DR+1 -> B == (<), D is DL+1 ; DR =:= DL+1, B == (>), D is DR+1 ).
get_assoc(K, A, V) :- '$assoc_get'(K, A, V).
put_assoc(K, A, V, B) :- '$put'(A, K, V, B, _).
'$put'(t, K, V, t(K, V, -, t, t), grown).
'$put'(t(K0, V0, B, L, R), K, V, T, G) :- compare(O, K, K0), '$put'(O, K, V, K0, V0, B, L, R, T, G).
'$put'(=, K, V, _, _, B, L, R, t(K, V, B, L, R), same).
'$put'(<, K, V, K0, V0, B, L0, R, T, G) :- '$put'(L0, K, V, L, LG), '$grown_left'(LG, B, K0, V0, L, R, T, G).
'$put'(>, K, V, K0, V0, B, L, R0, T, G) :- '$put'(R0, K, V, R, RG), '$grown_right'(RG, B, K0, V0, L, R, T, G).
'$grown_left'(same, B, K, V, L, R, t(K, V, B, L, R), same).
'$grown_left'(grown, -, K, V, L, R, t(K, V, <, L, R), grown).
'$grown_left'(grown, >, K, V, L, R, t(K, V, -, L, R), same).
'$grown_left'(grown, <, K, V, L, R, T, same) :- '$rotate_right'(L, K, V, R, T).
'$rotate_right'(t(K1, V1, <, L1, R1), K, V, R, t(K1, V1, -, L1, t(K, V, -, R1, R))).
'$rotate_right'(t(K1, V1, >, L1, t(K2, V2, B2, L2, R2)), K, V, R, t(K2, V2, -, t(K1, V1, B1, L1, L2), t(K, V, B, R2, R))) :-
    '$double'(B2, B1, B).
'$grown_right'(same, B, K, V, L, R, t(K, V, B, L, R), same).
'$grown_right'(grown, -, K, V, L, R, t(K, V, >, L, R), grown).
'$grown_right'(grown, <, K, V, L, R, t(K, V, -, L, R), same).
'$grown_right'(grown, >, K, V, L, R, T, same) :- '$rotate_left'(R, K, V, L, T).
'$rotate_left'(t(K1, V1, >, L1, R1), K, V, L, t(K1, V1, -, t(K, V, -, L, L1), R1)).
'$rotate_left'(t(K1, V1, <, t(K2, V2, B2, L2, R2), R1), K, V, L, t(K2, V2, -, t(K, V, B, L, L2), t(K1, V1, B1, R2, R1))) :-
    '$double'(B2, B, B1).
'$double'(<, -, >).
'$double'(>, <, -).
'$double'(-, -, -).
% A list becomes a tree whose left parts are as large as the right ones, or larger by one.
list_to_assoc(L, A) :- keysort(L, S), ( '$ascending'(S) -> '$sorted_to_assoc'(S, A) ; throw(error(domain_error(unique_key_pairs, L), _)) ).
ord_list_to_assoc(L, A) :- ( '$ascending'(L) -> '$sorted_to_assoc'(L, A) ; throw(error(domain_error(key_ordered_pairs, L), _)) ).
'$ascending'([]).
'$ascending'([K-_|T]) :- '$ascending'(T, K).
'$ascending'([], _).
'$ascending'([K-_|T], K0) :- K0 @< K, '$ascending'(T, K).
'$sorted_to_assoc'(L, A) :- '$length'(L, N), '$balanced'(N, L, _, A, _).
'$balanced'(0, L, L, t, 0) :- !.
'$balanced'(N, L0, L, t(K, V, B, Left, Right), D) :-
    NR is (N-1)//2, NL is N-1-NR,
    '$balanced'(NL, L0, [K-V|L1], Left, DL), '$balanced'(NR, L1, L, Right, DR),
    D is DL+1, ( DL =:= DR -> B = - ; B = < ).
assoc_to_list(A, L) :- '$assoc_list'(A, L, []).
'$assoc_list'(t, L, L).
'$assoc_list'(t(K, V, _, A, B), L, R) :- '$assoc_list'(A, L, [K-V|M]), '$assoc_list'(B, M, R).
assoc_to_keys(A, Ks) :- assoc_to_list(A, L), pairs_keys(L, Ks).
assoc_to_values(A, Vs) :- assoc_to_list(A, L), pairs_values(L, Vs).
gen_assoc(K, A, V) :- ground(K), !, get_assoc(K, A, V).
gen_assoc(K, t(_, _, _, L, _), V) :- gen_assoc(K, L, V).
gen_assoc(K, t(K, V, _, _, _), V).
gen_assoc(K, t(_, _, _, _, R), V) :- gen_assoc(K, R, V).
% A node is deleted by putting a neighbour in its place, from the deeper part.
del_assoc(K, A, V, B) :- '$del'(A, K, V, B, _).
'$del'(t(K0, V0, B, L, R), K, V, T, G) :- compare(O, K, K0), '$del'(O, K, V, K0, V0, B, L, R, T, G).
'$del'(=, _, V, _, V, B, L, R, T, G) :-
    ( L == t -> T = R, G = shrunk ; R == t -> T = L, G = shrunk
    ; B == (>) -> '$del_min'(R, K1, V1, R1, RG), '$shrunk_right'(RG, B, K1, V1, L, R1, T, G)
    ; '$del_max'(L, K1, V1, L1, LG), '$shrunk_left'(LG, B, K1, V1, L1, R, T, G) ).
'$del'(<, K, V, K0, V0, B, L, R, T, G) :- '$del'(L, K, V, L1, LG), '$shrunk_left'(LG, B, K0, V0, L1, R, T, G).
'$del'(>, K, V, K0, V0, B, L, R, T, G) :- '$del'(R, K, V, R1, RG), '$shrunk_right'(RG, B, K0, V0, L, R1, T, G).
del_min_assoc(A, K, V, B) :- '$del_min'(A, K, V, B, _).
del_max_assoc(A, K, V, B) :- '$del_max'(A, K, V, B, _).
'$del_min'(t(K0, V0, B, L, R), K, V, T, G) :-
    ( L == t -> K = K0, V = V0, T = R, G = shrunk ; '$del_min'(L, K, V, L1, LG), '$shrunk_left'(LG, B, K0, V0, L1, R, T, G) ).
'$del_max'(t(K0, V0, B, L, R), K, V, T, G) :-
    ( R == t -> K = K0, V = V0, T = L, G = shrunk ; '$del_max'(R, K, V, R1, RG), '$shrunk_right'(RG, B, K0, V0, L, R1, T, G) ).
'$shrunk_left'(same, B, K, V, L, R, t(K, V, B, L, R), same).
'$shrunk_left'(shrunk, <, K, V, L, R, t(K, V, -, L, R), shrunk).
'$shrunk_left'(shrunk, -, K, V, L, R, t(K, V, >, L, R), same).
'$shrunk_left'(shrunk, >, K, V, L, R, T, G) :- '$lift_right'(R, K, V, L, T, G).
'$lift_right'(t(K1, V1, -, L1, R1), K, V, L, t(K1, V1, <, t(K, V, >, L, L1), R1), same) :- !.
'$lift_right'(R, K, V, L, T, shrunk) :- '$rotate_left'(R, K, V, L, T).
'$shrunk_right'(same, B, K, V, L, R, t(K, V, B, L, R), same).
'$shrunk_right'(shrunk, >, K, V, L, R, t(K, V, -, L, R), shrunk).
'$shrunk_right'(shrunk, -, K, V, L, R, t(K, V, <, L, R), same).
'$shrunk_right'(shrunk, <, K, V, L, R, T, G) :- '$lift_left'(L, K, V, R, T, G).
'$lift_left'(t(K1, V1, -, L1, R1), K, V, R, t(K1, V1, >, L1, t(K, V, <, R1, R)), same) :- !.
'$lift_left'(L, K, V, R, T, shrunk) :- '$rotate_right'(L, K, V, R, T).
min_assoc(t(K0, V0, _, L, _), K, V) :- ( L == t -> K = K0, V = V0 ; min_assoc(L, K, V) ).
max_assoc(t(K0, V0, _, _, R), K, V) :- ( R == t -> K = K0, V = V0 ; max_assoc(R, K, V) ).
map_assoc(P, A) :- assoc_to_values(A, Vs), maplist(P, Vs).
map_assoc(_, t, t).
map_assoc(P, t(K, V, B, L0, R0), t(K, W, B, L, R)) :- map_assoc(P, L0, L), call(P, V, W), map_assoc(P, R0, R).
