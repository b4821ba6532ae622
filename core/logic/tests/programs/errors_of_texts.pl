% What built-in predicates on texts say of what is no text.
of(G, E) :- catch(( G -> E = true ; E = false ), error(E, _), true).
in(G, P) :- catch(G, error(_, context(system:P, _)), true).

%? findall(E, ( member(G, [atom_length(T, _), atom_codes(T, _), atom_chars(T, _), char_code(T, _), atom_number(T, _)]), T = f(x), of(G, E) ), L)
%= L = [type_error(text, f(x)), type_error(atom, f(x)), type_error(atom, f(x)), type_error(character, f(x)), type_error(atom, f(x))]
%? findall(E, ( member(G, [number_codes(T, _), atom_string(T, _), upcase_atom(T, _), string_upper(T, _)]), T = f(x), of(G, E) ), L)
%= L = [type_error(number, f(x)), type_error(atom, f(x)), type_error(atomic, f(x)), type_error(atomic, f(x))]
%? findall(E, ( member(G, [string_length(T, _), string_codes(T, _), string_to_atom(T, _), split_string(T, "", "", _)]), T = f(x), of(G, E) ), L)
%= L = [type_error(text, f(x)), type_error(text, f(x)), type_error(string, f(x)), type_error(text, f(x))]
%? findall(E, ( member(G, [atom_codes(_, T), number_codes(_, T), string_chars(_, T), atom_string(_, T), number_string(_, T)]), T = f(x), of(G, E) ), L)
%= L = [type_error(list, f(x)), type_error(list, f(x)), type_error(list, f(x)), type_error(string, f(x)), type_error(list, f(x))]
%? findall(E, ( member(T, [[a|_], [a, f(b)], [-1], [a|b], [0'a, f(b)], [0'a, _]]), of(atom_codes(_, T), E) ), L)
%= L = [instantiation_error, type_error(character, f(b)), type_error(character_code, -1), type_error(list, [a|b]), type_error(character_code, f(b)), instantiation_error]
%? findall(E, ( member(T, [[a|_], [a, f(b)], [-1], [a|b], [0'a, f(b)], [0'a, _]]), of(atom_length(T, _), E) ), L)
%= L = [instantiation_error, type_error(character, f(b)), type_error(character_code, -1), type_error(text, [a|b]), type_error(character_code, f(b)), instantiation_error]
%? findall(E, ( member(T, [f(x), [a|_], [-1]]), member(G, [atom_concat(T, a, _), atom_concat(_, a, T), string_concat(_, T, _)]), of(G, E) ), L)
%= L = [type_error(atomic, f(x)), type_error(atomic, f(x)), type_error(atomic, f(x)), type_error(atomic, [a|_1]), type_error(atomic, [a|_2]), type_error(atomic, [a|_3]), type_error(atomic, [-1]), type_error(atomic, [-1]), type_error(atomic, [-1])]
%? of(atomic_list_concat([a, f(x)], _), E), of(atomic_list_concat([a, [b|_]], ',', _), F), of(atomic_list_concat([a, _], ',', _), G), of(atomic_list_concat(_, '', abc), H), of(atomic_list_concat(_, f(x), abc), I)
%= E = I
%= I = type_error(text, f(x))
%= F = type_error(text, [b|_1])
%= G = instantiation_error
%= H = domain_error(non_empty_atom, '')
%? of(sub_atom(f(x), _, _, _, _), E), of(sub_atom(abc, _, _, _, f(x)), F), of(sub_string([a|_], _, _, _, _), G), of(char_code(_, -1), H)
%= E = F
%= F = type_error(atom, f(x))
%= G = type_error(string, [a|_1])
%= H = type_error(character_code, -1)
%? in(atom_concat(_, _, _), P), in(string_concat(_, a, _), Q), in(sub_atom(_, _, _, _, _), R), in(atom_to_term(_, _, _), S)
%= P = atom_concat/3
%= Q = string_concat/3
%= R = sub_atom/5
%= S = atom_to_term/3
%? findall(E, ( member(F-A, ["~a"-f(x), "~a"-_, "~s"-[a|b], "~c"-x, "~d"-3.0, "~d"-a, "~e"-a]), of(format(F, [A]), E) ), L)
%= L = [format_argument_type(a, f(x)), format_argument_type(a, _1), format_argument_type(s, [a|b]), format_argument_type(c, x), format_argument_type(d, 3.0), type_error(evaluable, a/0), type_error(evaluable, a/0)]
%? format("~d ~2d ~D~n", [1+2, 10*10, 2**20])
%= 3 1.00 1,048,576
%= true
%? atomics_to_string([a, 1, "b"], S)
%= S = "a1b"
