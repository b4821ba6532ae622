% Graphs as lists of vertices with their neighbours, heaps, trees.

vertices_edges_to_ugraph(Vs, Es, G) :-
    findall(V, ( '$element_of'(V, Vs) ; '$element_of'(A-B, Es), ( V = A ; V = B ) ), L), sort(L, S), '$adjacent'(S, Es, G).
'$element_of'(X, L) :- L = [_|_], '$element'(X, L).
'$adjacent'([], _, []).
'$adjacent'([V|Vs], Es, [V-Ns|G]) :- '$neighbours_in'(Es, V, L), sort(L, Ns), '$adjacent'(Vs, Es, G).
'$neighbours_in'([], _, []).
'$neighbours_in'([A-B|Es], V, R) :- ( A == V -> R = [B|R1] ; R = R1 ), '$neighbours_in'(Es, V, R1).
vertices(G, Vs) :- pairs_keys(G, Vs).
edges(G, Es) :- findall(V-N, ( '$element_of'(V-Ns, G), '$element_of'(N, Ns) ), Es).
add_vertices(G, Vs, H) :- vertices(G, Us), append(Us, Vs, All), edges(G, Es), vertices_edges_to_ugraph(All, Es, H).
del_vertices(G, Vs, H) :-
    findall(V-Ms, ( '$element_of'(V-Ns, G), \+ memberchk(V, Vs), subtract(Ns, Vs, Ms) ), H).
add_edges(G, Es, H) :- vertices(G, Vs), edges(G, Fs), append(Fs, Es, All), vertices_edges_to_ugraph(Vs, All, H).
del_edges(G, Es, H) :- vertices(G, Vs), edges(G, Fs), subtract(Fs, Es, Rest), vertices_edges_to_ugraph(Vs, Rest, H).
neighbours(V, G, Ns) :- memberchk(V-Ns, G).
neighbors(V, G, Ns) :- memberchk(V-Ns, G).
ugraph_union(G, H, U) :-
    vertices(G, V1), vertices(H, V2), append(V1, V2, Vs), edges(G, E1), edges(H, E2), append(E1, E2, Es),
    vertices_edges_to_ugraph(Vs, Es, U).
transpose_ugraph(G, T) :- vertices(G, Vs), findall(B-A, ( '$element_of'(A-Ns, G), '$element_of'(B, Ns) ), Es),
    vertices_edges_to_ugraph(Vs, Es, T).
compose(G, H, C) :-
    vertices(G, V1), vertices(H, V2), append(V1, V2, Vs),
    findall(A-D, ( '$element_of'(A-Bs, G), '$element_of'(B, Bs), memberchk(B-Ds, H), '$element_of'(D, Ds) ), Es),
    vertices_edges_to_ugraph(Vs, Es, C).
complement(G, C) :- vertices(G, Vs), '$complement'(G, Vs, C).
'$complement'([], _, []).
'$complement'([V-Ns|G], Vs, [V-Ms|C]) :- ord_add_element(Ns, V, Os), ord_subtract(Vs, Os, Ms), '$complement'(G, Vs, C).
reachable(V, G, R) :- '$reach'([V], G, [V], R).
'$reach'([], _, R, R).
'$reach'([V|Vs], G, R0, R) :-
    ( memberchk(V-Ns, G) -> true ; Ns = [] ), ord_subtract(Ns, R0, New), ord_union(R0, New, R1),
    append(New, Vs, Next), '$reach'(Next, G, R1, R).
transitive_closure(G, C) :- vertices(G, Vs), '$closure'(Vs, G, C).
'$closure'([], C, C).
'$closure'([V|Vs], G, C) :- memberchk(V-Ys, G), '$through'(G, V, Ys, H), '$closure'(Vs, H, C).
'$through'([], _, _, []).
'$through'([X-Ns|G], V, Ys, [X-Ms|H]) :- ( ord_memberchk(V, Ns) -> ord_union(Ns, Ys, Ms) ; Ms = Ns ), '$through'(G, V, Ys, H).
top_sort(G, Sorted) :- findall(V-N, ( '$element_of'(V-_, G), aggregate_all(count, ( '$element_of'(_-Ns, G), memberchk(V, Ns) ), N) ), In),
    list_to_assoc(In, A), findall(V, '$element_of'(V-0, In), Zeros), '$top'(Zeros, G, A, Sorted, N), '$length'(G, N).
'$top'([], _, _, [], 0).
'$top'([V|Vs], G, A0, [V|S], N) :- memberchk(V-Ns, G), '$decrement'(Ns, A0, A, Vs, Next), '$top'(Next, G, A, S, M), N is M+1.
'$decrement'([], A, A, Z, Z).
'$decrement'([N|Ns], A0, A, Z0, Z) :- get_assoc(N, A0, C), D is C-1, put_assoc(N, A0, D, A1),
    ( D =:= 0 -> Z1 = [N|Z0] ; Z1 = Z0 ), '$decrement'(Ns, A1, A, Z1, Z).

% Pairing heaps: nil, or t(Value, Priority, Heaps); with their number of values.
empty_heap(heap(nil, 0)).
singleton_heap(heap(t(V, P, []), 1), P, V).
is_heap(H) :- nonvar(H), H = heap(_, N), integer(N).
heap_size(heap(_, N), N).
add_to_heap(heap(Q0, N0), P, V, heap(Q, N)) :- N is N0+1, '$meld'(Q0, t(V, P, []), Q).
get_from_heap(heap(t(V, P, Qs), N0), P, V, heap(Q, N)) :- N is N0-1, '$pair_up'(Qs, Q).
min_of_heap(heap(t(V, P, _), _), P, V).
min_of_heap(H, P1, V1, P2, V2) :- get_from_heap(H, P1, V1, H1), min_of_heap(H1, P2, V2).
merge_heaps(heap(Q1, N1), heap(Q2, N2), heap(Q, N)) :- N is N1+N2, '$meld'(Q1, Q2, Q).
heap_to_list(H, L) :- ( get_from_heap(H, P, V, H1) -> L = [P-V|T], heap_to_list(H1, T) ; L = [] ).
list_to_heap(L, H) :- empty_heap(H0), '$add_all'(L, H0, H).
'$add_all'([], H, H).
'$add_all'([P-V|T], H0, H) :- add_to_heap(H0, P, V, H1), '$add_all'(T, H1, H).
delete_from_heap(H0, P, V, H) :- heap_to_list(H0, L), selectchk(P-V, L, R), list_to_heap(R, H).
'$meld'(nil, Q, Q) :- !.
'$meld'(Q, nil, Q) :- !.
'$meld'(t(V1, P1, L1), t(V2, P2, L2), Q) :-
    ( P1 @< P2 -> Q = t(V1, P1, [t(V2, P2, L2)|L1]) ; Q = t(V2, P2, [t(V1, P1, L1)|L2]) ).
'$pair_up'([], nil).
'$pair_up'([Q], Q) :- !.
'$pair_up'([A, B|Qs], Q) :- '$meld'(A, B, C), '$pair_up'(Qs, D), '$meld'(C, D, Q).

% Trees of keys and values, as association lists.
rb_new(t).
rb_empty(t).
rb_insert(T0, K, V, T) :- put_assoc(K, T0, V, T).
rb_insert_new(T0, K, V, T) :- \+ get_assoc(K, T0, _), put_assoc(K, T0, V, T).
rb_lookup(K, V, T) :- get_assoc(K, T, V).
rb_in(K, V, T) :- '$rb_known'(T), ( ground(K) -> get_assoc(K, T, V) ; gen_assoc(K, T, V) ).
'$rb_known'(T) :- ( var(T) -> instantiation_error(T) ; true ).
rb_update(T0, K, V, T) :- get_assoc(K, T0, _), put_assoc(K, T0, V, T).
rb_update(T0, K, V0, V, T) :- get_assoc(K, T0, V0), put_assoc(K, T0, V, T).
rb_apply(T0, K, G, T) :- get_assoc(K, T0, V0), call(G, V0, V), !, put_assoc(K, T0, V, T).
rb_delete(T0, K, T) :- del_assoc(K, T0, _, T).
rb_delete(T0, K, V, T) :- del_assoc(K, T0, V, T).
rb_visit(T, L) :- '$rb_known'(T), assoc_to_list(T, L).
rb_keys(T, Ks) :- '$rb_known'(T), assoc_to_keys(T, Ks).
rb_clone(T0, T, Ps) :- rb_keys(T0, Ks), '$fresh_pairs'(Ks, Ps), list_to_assoc(Ps, T).
'$fresh_pairs'([], []).
'$fresh_pairs'([K|Ks], [K-_|Ps]) :- '$fresh_pairs'(Ks, Ps).
rb_partial_map(T, [], _, T).
rb_partial_map(T0, [K|Ks], G, T) :- ( rb_apply(T0, K, G, T1) -> true ; T1 = T0 ), rb_partial_map(T1, Ks, G, T).
rb_map(T, G) :- map_assoc(G, T).
rb_map(T0, G, T) :- map_assoc(G, T0, T).
rb_fold(G, T, V0, V) :- assoc_to_list(T, L), foldl(G, L, V0, V).
rb_size(T, N) :- '$rb_known'(T), assoc_to_keys(T, Ks), '$length'(Ks, N).
rb_min(T, K, V) :- min_assoc(T, K, V).
rb_max(T, K, V) :- max_assoc(T, K, V).
rb_del_min(T0, K, V, T) :- min_assoc(T0, K, V), del_assoc(K, T0, _, T).
rb_del_max(T0, K, V, T) :- max_assoc(T0, K, V), del_assoc(K, T0, _, T).
rb_next(T, K, N, V) :- assoc_to_list(T, L), '$element_of'(N-V, L), N @> K, !.
list_to_rbtree(L, T) :- list_to_assoc(L, T).
ord_list_to_rbtree(L, T) :- list_to_assoc(L, T).
is_rbtree(T) :- is_assoc(T).
ord_intersection(Ls, S) :- Ls = [L|T], '$ord_intersect_all'(T, L, S).
'$ord_intersect_all'([], S, S).
'$ord_intersect_all'([L|T], S0, S) :- ord_intersection(S0, L, S1), '$ord_intersect_all'(T, S1, S).
ord_selectchk(X, L, R) :- ord_memberchk(X, L), ord_subtract(L, [X], R).
