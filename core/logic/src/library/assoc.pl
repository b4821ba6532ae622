% Association lists as balanced trees: t, or t(Key, Value, Balance, Left, Right) with Balance one of < - >.

empty_assoc(t).
get_assoc(K, t(K0, V0, _, L, R), V) :- compare(O, K, K0), '$get'(O, K, V0, L, R, V).
'$get'(=, _, V, _, _, V).
'$get'(<, K, _, L, _, V) :- get_assoc(K, L, V).
'$get'(>, K, _, _, R, V) :- get_assoc(K, R, V).
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
list_to_assoc(L, A) :- '$list_to_assoc'(L, t, A).
'$list_to_assoc'([], A, A).
'$list_to_assoc'([K-V|T], A0, A) :- put_assoc(K, A0, V, A1), '$list_to_assoc'(T, A1, A).
ord_list_to_assoc(L, A) :- list_to_assoc(L, A).
assoc_to_list(A, L) :- '$assoc_list'(A, L, []).
'$assoc_list'(t, L, L).
'$assoc_list'(t(K, V, _, A, B), L, R) :- '$assoc_list'(A, L, [K-V|M]), '$assoc_list'(B, M, R).
assoc_to_keys(A, Ks) :- assoc_to_list(A, L), pairs_keys(L, Ks).
assoc_to_values(A, Vs) :- assoc_to_list(A, L), pairs_values(L, Vs).
gen_assoc(K, A, V) :- ground(K), !, get_assoc(K, A, V).
gen_assoc(K, t(_, _, _, L, _), V) :- gen_assoc(K, L, V).
gen_assoc(K, t(K, V, _, _, _), V).
gen_assoc(K, t(_, _, _, _, R), V) :- gen_assoc(K, R, V).
del_assoc(K, A, V, B) :- assoc_to_list(A, L), '$delete_key'(L, K, V, R), list_to_assoc(R, B).
'$delete_key'([K0-V0|T], K, V, R) :- ( K0 == K -> V = V0, R = T ; R = [K0-V0|R1], '$delete_key'(T, K, V, R1) ).
min_assoc(A, K, V) :- assoc_to_list(A, [K-V|_]).
max_assoc(A, K, V) :- assoc_to_list(A, L), last(L, K-V).
map_assoc(P, A) :- assoc_to_values(A, Vs), maplist(P, Vs).
map_assoc(_, t, t).
map_assoc(P, t(K, V, B, L0, R0), t(K, W, B, L, R)) :- map_assoc(P, L0, L), call(P, V, W), map_assoc(P, R0, R).
