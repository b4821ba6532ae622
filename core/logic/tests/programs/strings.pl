% Atoms, strings, codes and characters.
:- use_module(library(lists)).

%? atom_codes(abc, Cs), atom_chars(X, [h, i]), atom_length(hello, N)
%= Cs = [97, 98, 99]
%= X = hi
%= N = 5
%? sub_atom(hello, 1, 3, A, S), atomic_list_concat([a, 1, b], X)
%= A = 1
%= S = ell
%= X = a1b
%? atomic_list_concat([a, b], '-', X), atomic_list_concat(L, ',', 'x,y')
%= X = 'a-b'
%= L = [x, y]
%? split_string("a b c", " ", "", P), string_concat(abc, X, "abcd")
%= P = ["a", "b", "c"]
%= X = "d"
%? upcase_atom(hello, U), string_upper("abc", V), number_codes(N, "42")
%= U = 'HELLO'
%= V = "ABC"
%= N = 42
%? atom_string(A, "xyz"), string_chars(S, [a, b]), string_code(1, "abc", C)
%= A = xyz
%= S = "ab"
%= C = 97
