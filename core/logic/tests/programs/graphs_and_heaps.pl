% Graphs, heaps and trees of libraries.
:- use_module(library(chr)).
:- use_module(library(ugraphs)).
:- use_module(library(heaps)).
:- use_module(library(rbtrees)).
:- chr_constraint seen(?any).
%? vertices_edges_to_ugraph([d], [a-b, b-c, a-c], G)
%= G = [a-[b, c], b-[c], c-[], d-[]]
%? vertices_edges_to_ugraph([], [a-b, b-c], G), reachable(a, G, R), transitive_closure(G, C)
%= G = [a-[b], b-[c], c-[]]
%= R = [a, b, c]
%= C = [a-[b, c], b-[c], c-[]]
%? vertices_edges_to_ugraph([], [a-b, c-a], G), top_sort(G, S), seen(S)
%= G = [a-[b], b-[], c-[a]]
%= S = [c, a, b]
%= seen([c, a, b])
%? add_edges([], [1-2, 2-3], G), del_vertices(G, [2], H), edges(G, E), vertices(G, V), neighbours(1, G, N)
%= G = [1-[2], 2-[3], 3-[]]
%= H = [1-[], 3-[]]
%= E = [1-2, 2-3]
%= V = [1, 2, 3]
%= N = [2]
%? transpose_ugraph([a-[b], b-[c], c-[]], T), compose([a-[b], b-[]], [b-[c, d], c-[], d-[]], C)
%= T = [a-[], b-[a], c-[b]]
%= C = [a-[c, d], b-[], c-[], d-[]]
%? list_to_heap([3-c, 1-a, 2-b], H0), get_from_heap(H0, P, K, H1), heap_size(H1, N), heap_to_list(H1, L)
%= H0 = heap(t(a, 1, [t(b, 2, []), t(c, 3, [])]), 3)
%= P = 1
%= K = a
%= H1 = heap(t(b, 2, [t(c, 3, [])]), 2)
%= N = 2
%= L = [2-b, 3-c]
%? empty_heap(H), add_to_heap(H, 1, x, H1), min_of_heap(H1, P, V), \+ get_from_heap(H, _, _, _)
%= H = heap(nil, 0)
%= H1 = heap(t(x, 1, []), 1)
%= P = 1
%= V = x
tree(V, Ks, Ps) :- rb_new(T0), rb_insert(T0, k, 1, T1), rb_lookup(k, V, T1), rb_update(T1, k, 2, T2), rb_keys(T2, Ks), rb_visit(T2, Ps).
%? tree(V, Ks, Ps)
%= V = 1
%= Ks = [k]
%= Ps = [k-2]
set(L, New) :- empty_nb_set(S), add_nb_set(a, S), ( member(X, [c, b]), add_nb_set(X, S), fail ; true ), add_nb_set(a, S, New), nb_set_to_list(S, L).
%? set(L, New)
%= L = [a, b, c]
%= New = false
