% The shapes of association lists.
:- use_module(library(assoc)).
emptied(N, Ds, Ks) :- numlist(1, N, L), filled(L, A), foldl([K, A0, A1]>>(del_assoc(K, A0, _, A1), is_assoc(A1)), Ds, A, B), assoc_to_keys(B, Ks).
filled(L, A) :- foldl([K, A0, A1]>>put_assoc(K, A0, v, A1), L, t, A).

%? list_to_assoc([a - 1, b - 2], A)
%= A = t(b, 2, <, t(a, 1, -, t, t), t)
%? list_to_assoc([c - 1, a - 2, e - 3, b - 4, d - 5, f - 6], A)
%= A = t(d, 5, -, t(b, 4, -, t(a, 2, -, t, t), t(c, 1, -, t, t)), t(f, 6, <, t(e, 3, -, t, t), t))
%? catch(list_to_assoc([a - 1, a - 2], _), error(E, _), true)
%= E = domain_error(unique_key_pairs, [a-1, a-2])
%? numlist(1, 7, L), filled(L, A), del_assoc(4, A, V, B), is_assoc(B)
%= L = [1, 2, 3, 4, 5, 6, 7]
%= A = t(4, v, -, t(2, v, -, t(1, v, -, t, t), t(3, v, -, t, t)), t(6, v, -, t(5, v, -, t, t), t(7, v, -, t, t)))
%= V = v
%= B = t(3, v, -, t(2, v, <, t(1, v, -, t, t), t), t(6, v, -, t(5, v, -, t, t), t(7, v, -, t, t)))
%? emptied(12, [8, 1, 12, 3, 10, 5, 2], Ks)
%= Ks = [4, 6, 7, 9, 11]
%? filled([a, b, c], A), del_min_assoc(A, K1, _, B), del_max_assoc(B, K2, _, C), min_assoc(A, K3, _), max_assoc(A, K4, _)
%= A = t(b, v, -, t(a, v, -, t, t), t(c, v, -, t, t))
%= K1 = K3
%= K3 = a
%= B = t(b, v, >, t, t(c, v, -, t, t))
%= K2 = K4
%= K4 = c
%= C = t(b, v, -, t, t)
%? \+ is_assoc(t(b, 1, -, t(c, 1, -, t, t), t)), \+ is_assoc(t(b, 1, <, t(c, 1, -, t, t), t)), is_assoc(t)
%= true
%? catch(get_assoc(a, foo, _), error(E, _), true), \+ get_assoc(z, t(a, 1, -, t, t), _)
%= E = type_error(btree, foo)
