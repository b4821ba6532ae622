% Trees of pairs.
:- use_module(library(assoc)).
build(Ps, A) :- foldl([K - V, A0, A1]>>put_assoc(K, A0, V, A1), Ps, t, A).

%? build([b - 2, a - 1, c - 3], A), assoc_to_list(A, L), assoc_to_keys(A, K), assoc_to_values(A, V), A = t(_, _, _, _, _)
%= A = t(b, 2, -, t(a, 1, -, t, t), t(c, 3, -, t, t))
%= L = [a-1, b-2, c-3]
%= K = [a, b, c]
%= V = [1, 2, 3]
%? build([x - 1], A), get_assoc(x, A, V), \+ get_assoc(y, A, _)
%= A = t(x, 1, -, t, t)
%= V = 1
