% The empty list is the text without characters, and no atom.
kind(X, K) :- ( var(X) -> K = var ; atom(X) -> K = atom ; is_list(X) -> K = list ; K = other ).

%? maplist(kind, [[], a, [a], '', f(x)], Ks)
%= Ks = [list, atom, list, atom, other]
%? ( callable([]) -> C = yes ; C = no ), ( atomic([]) -> A = yes ; A = no )
%= C = no
%= A = yes
%? findall(X, ( atom_codes(X, []) ; atom_chars(X, []) ; name(X, []) ; atom_string(X, []) ; string_to_atom([], X) ), L)
%= L = ['', '', '', '', '']
%? findall(X, ( string_codes(X, []) ; string_chars(X, []) ; text_to_string([], X) ; split_string([], "", "", X) ), L)
%= L = ["", "", "", [""]]
%? atom_length([], N), atom_codes(A, []), A \== []
%= N = 0
%= A = ''
%? catch(atom_codes([], _), error(E, _), true)
%= E = type_error(atom, [])
%? catch(atom_concat([], a, _), error(E, _), true)
%= E = type_error(atom, [])
%? sort([b, [], 'A', 1, "s", f(x), []], L)
%= L = [1, "s", [], 'A', b, f(x)]
%? sort([0.0, -0.0, 0], L), compare(O, -0.0, 0.0)
%= L = [-0.0, 0.0, 0]
%= O = (<)
%? sort([2, 1], @<, [f(a, g(2, 1)), f(b, g(1, 2))], L)
%= L = [f(b, g(1, 2)), f(a, g(2, 1))]
