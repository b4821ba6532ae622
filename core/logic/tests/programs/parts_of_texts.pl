% Parts of atoms and strings: one, none or several answers, with whatever is known, and of texts of other scripts.
:- use_module(library(chr)).
:- chr_constraint part(?any).
all(X, G, L) :- findall(X, G, L).

%? all(B-L-E, sub_atom(banana, B, L, E, an), R)
%= R = [1-2-3, 3-2-1]
%? all(B-L-E, sub_atom(banana, B, L, E, ana), R)
%= R = [1-3-2, 3-3-0]
%? all(B-E, sub_atom(banana, B, 2, E, na), R)
%= R = [2-2, 4-0]
%? all(B, sub_atom(banana, B, _, 0, na), R)
%= R = [4]
%? all(B, sub_atom(banana, B, _, 1, na), R)
%= R = []
%? all(E, sub_atom(banana, 2, _, E, na), R)
%= R = [2]
%? all(E, sub_atom(banana, 3, _, E, na), R)
%= R = []
%? all(E, sub_atom(banana, 9, _, E, na), R)
%= R = []
%? all(S, sub_atom(banana, 1, 3, _, S), R)
%= R = [ana]
%? all(S, sub_atom(banana, 1, _, 2, S), R)
%= R = [ana]
%? all(S, sub_atom(banana, _, 3, 0, S), R)
%= R = [ana]
%? all(S, sub_atom(banana, 5, 3, _, S), R)
%= R = []
%? all(S, sub_atom(banana, 6, 0, _, S), R)
%= R = ['']
%? all(S, sub_atom(banana, _, 9, 0, S), R)
%= R = []
%? all(S-B, sub_atom(abc, B, 2, _, S), R)
%= R = [ab-0, bc-1]
%? all(S, sub_atom(ab, _, _, _, S), R)
%= R = ['', a, ab, '', b, '']
%? all(B, sub_atom(abc, B, _, _, ''), R)
%= R = [0, 1, 2, 3]
%? all(B, sub_atom(abc, B, _, _, abcd), R)
%= R = []
%? all(B, sub_atom(aaaa, B, _, _, aa), R)
%= R = [0, 1, 2]
%? all(B, sub_atom('żółw', B, _, _, 'ó'), R)
%= R = [1]
%? all(S, sub_atom('żółw', 1, 2, _, S), R)
%= R = [ół]
%? all(S, sub_atom(12345, 1, 2, _, S), R)
%= R = ['23']
%? all(S, sub_string("banana", 1, 3, _, S), R)
%= R = ["ana"]
%? all(B, sub_string("banana", B, _, 0, "na"), R)
%= R = [4]
%? all(B, sub_string(banana, B, _, 0, na), R)
%= R = [4]
%? all(S, sub_string("12345", _, 2, 0, S), R)
%= R = ["45"]
%? sub_atom(banana, B, 2, 0, S), part(S-B)
%= B = 4
%= S = na
%= part(na-4)
%? X = 2, sub_atom(banana, X, X, X, S)
%= X = 2
%= S = na
%? sub_atom(banana, X, X, X, S), X > 0
%= X = 2
%= S = na
%? catch(sub_atom(_, 1, 1, _, a), error(E, _), true)
%= E = instantiation_error
%? catch(sub_atom(f(x), 1, 1, _, a), error(E, _), true)
%= E = type_error(atom, f(x))
%? catch(sub_atom(abc, 1, 1, _, f(x)), error(E, _), true)
%= E = type_error(atom, f(x))
%? catch(sub_atom(abc, -1, 1, _, _), error(E, _), true)
%= E = domain_error(not_less_than_zero, -1)
%? atom_concat(abc, X, abcdef)
%= X = def
%? atom_concat(X, def, abcdef)
%= X = abc
%? atom_concat(X, abc, abcdef)
%= the derivation failed
%? atom_concat(b, X, abcdef)
%= the derivation failed
%? atom_concat('', X, abc), atom_concat(Y, '', abc)
%= X = Y
%= Y = abc
%? all(X+Y, atom_concat(X, Y, abc), R)
%= R = [''+abc, a+bc, ab+c, abc+'']
%? atom_concat(1, X, 123), atom_concat(Y, 23, 123)
%= X = '23'
%= Y = '1'
%? atom_concat(abc, X, "abcdef")
%= X = def
%? string_concat(abc, X, abcdef), string_concat(Y, "def", "abcdef")
%= X = "def"
%= Y = "abc"
%? string_concat("ż", X, "żółw")
%= X = "ółw"
%? all(X+Y, string_concat(X, Y, "ab"), R)
%= R = [""+"ab", "a"+"b", "ab"+""]
%? atom_concat(X, X, abab)
%= X = ab
%? catch(atom_concat(_, b, _), error(E, _), true)
%= E = instantiation_error
%? catch(atom_concat(a, _, f(x)), error(E, _), true)
%= E = type_error(atomic, f(x))
%? copy_term(f(X, Y, X, 1r3), T), X = a
%= X = a
%= T = f(_1, _2, _1, 1r3)
%? copy_term(part(X), T), part(X), copy_term(f(X), U)
%= T = part(_1)
%= U = f(_2)
%= part(X)
%? freeze(X, true), copy_term(f(X), T), T = f(Z), frozen(Z, G), G \== true, X = 1, Z = 1
%= X = Z
%= Z = 1
%= T = f(1)
%= G = freeze(1, user:true)
