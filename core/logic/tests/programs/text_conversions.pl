% Text by codes, names of files, goals as terms.
:- use_module(library(chr)).
:- use_module(library(codesio)).
:- use_module(library(prolog_code)).
:- use_module(library(terms)).
:- chr_constraint line(?any), goals(?any).
line(X) <=> format_to_codes("<~w>", [X], Cs), atom_codes(A, Cs), writeln(A).
goals(C) <=> comma_list(C, L), length(L, N), writeln(N).

%? line(f(x)), goals((a, b, c))
%= <f(x)>
%= 3
%= true
%? write_to_codes(a+b, Cs), atom_codes(A, Cs)
%= Cs = [97, 43, 98]
%= A = 'a+b'
%? mkconj(true, b, X), mkdisj(a, b, Y), comma_list(Z, [p, q])
%= X = b
%= Y = (a;b)
%= Z = (p, q)
%? mapsubterms([A, B]>>(integer(A), B is A*2), f(1, g(2), h), T)
%= T = f(2, g(4), h)
%? foldsubterms([A, S0, S]>>(integer(A), S is S0+A), f(1, g(2, 3)), 0, N)
%= N = 6
%? file_base_name('/a/b/c.pl', B), file_directory_name('/a/b/c.pl', D), file_name_extension(N, E, 'c.pl')
%= B = 'c.pl'
%= D = '/a/b'
%= N = c
%= E = pl
%? divmod(-7, 2, Q, R), nth_integer_root_and_remainder(2, 30, Root, Rest)
%= Q = -4
%= R = 1
%= Root = Rest
%= Rest = 5
%? pi_head(PI, foo(_, _)), most_general_goal(bar(1, 2), G)
%= PI = foo/2
%= G = bar(_1, _2)
%? catch(must_be(nonneg, x), error(E, _), true), catch(must_be(list(integer), [a]), error(F, _), true)
%= E = type_error(nonneg, x)
%= F = type_error(integer, a)
%? write_length(f('A', "b"), N, [quoted(true)])
%= N = 10
%? upcase_atom('straße ǰ', X), string_upper("ß", Y), downcase_atom('ÄÖ', Z)
%= X = 'STRAßE ǰ'
%= Y = "ß"
%= Z = äö
%? atom_length(12, N), catch(atom_length(abc, foo), error(E, _), true)
%= N = 2
%= E = type_error(integer, foo)
%? \+ atom_number('3 ', _), \+ atom_number(' 3', _), number_codes(N, " 3")
%= N = 3
%? number_string(X, " 42")
%= the derivation failed
%? term_to_atom(_, A), atom_length(A, N), N > 1, term_string(_, S), string(S), atom(A), fail ; true
%= true
