% Streams over texts, tables as texts, directives of format/2,3 with options.
:- use_module(library(csv)).
:- use_module(library(strings)).
:- use_module(library(lists)).

written(T) :-
    tmp_file(x, F), open(F, write, S), format(S, "~w-~a~n", [1, b]), put_char(S, c), close(S),
    read_file_to_string(F, T, []), delete_file(F).
parts(A, B, C, D) :-
    open_string("abc\nde", S), read_line_to_string(S, A), get_char(S, B), peek_char(S, C), read_string(S, _, D), close(S).
singles(Ns, E) :-
    open_string("p(X, _Y, X, Z). q", S), read_term(S, _, [singletons(Vs)]), findall(N, member(N = _, Vs), Ns),
    catch(read(S, _), error(E, _), true), close(S).
table(Text, Rows, Os) :- atom_codes(Text, Cs), phrase(csv(Rows, Os), Cs).
stored(Rows0, Rows, T) :-
    tmp_file(x, F), csv_write_file(F, Rows0), csv_read_file(F, Rows), read_file_to_string(F, T, []), delete_file(F).
rows_of(Text, L) :-
    tmp_file(x, F), open(F, write, S), write(S, Text), close(S),
    findall(N-R, csv_read_file_row(F, R, [line(N)]), L), delete_file(F).

%? written(T)
%= T = "1-b\nc"
%? parts(A, B, C, D)
%= A = "abc"
%= B = d
%= C = e
%= D = "e"
%? singles(Ns, E)
%= Ns = ['_Y', 'Z']
%= E = syntax_error(end_of_file)
%? format(atom(A), "~W|~q", [f(X, 'A b', '$VAR'(1)), [quoted(true), numbervars(true), variable_names(['X' = X])], x])
%= A = 'f(X,\'A b\',B)|x'
%? format(atom(A), "~8r ~36R ~2r", [64, 12345678901234567890123, -5])
%= A = '100 20DGOHX2W7BEK7F -101'
%? catch(format("~37r", [5]), error(E, _), true), catch(format("~*c", [-1, 0'x]), error(F, _), true)
%= E = domain_error(radix, 37)
%= F = format('no or negative integer for `*\' argument')
%? table('a,"1",2, 3 ,"x""y"\n1.5,,z,,\n', Rows, [])
%= Rows = [row(a, 1, 2, ' 3 ', 'x"y'), row(1.5, '', z, '', '')]
%? table('a;1\nb;2', Rows, [separator(0';), functor(f)]), table('a, b \n', More, [strip(true), convert(false)])
%= Rows = [f(a, 1), f(b, 2)]
%= More = [row(a, b)]
%? catch(table('a,1\nb\n', _, []), error(E, _), true), table('a,1\nb\n', Rows, [match_arity(false)])
%= E = domain_error(row_arity(2), 1)
%= Rows = [row(a, 1), row(b)]
%? table('a,"b\nc",d\r\n', Rows, []), table('', None, [])
%= Rows = [row(a, 'b\nc', d)]
%= None = []
%? stored([row(a, 'b c', 1, 2.5, 'q"x', 'a,b')], Rows, T)
%= Rows = [row(a, 'b c', 1, 2.5, 'q"x', 'a,b')]
%= T = "a,b c,1,2.5,\"q\"\"x\",\"a,b\"\r\n"
%? rows_of('a,b\n"c",e\nf\n', L)
%= L = [1-row(a, b), 2-row(c, e), 3-row(f)]
%? string_lines("a\n\nb\n", A), string_lines(B, [x, y]), string_lines("a\nb", C)
%= A = ["a", "", "b"]
%= B = "x\ny\n"
%= C = ["a", "b"]
%? dedent_lines("  a\n    b\n\n  c", A, []), indent_lines("> ", "a\n\n b\n", B)
%= A = "a\n  b\n\nc"
%= B = "> a\n\n>  b\n"
%? interpolate_string("hi {Name}, {x}{x y}{}", A, ['Name' = bob], [])
%= A = "hi bob, {x}{x y}{}"
%? catch(interpolate_string("hi {Name}", _, [], []), error(E, _), true)
%= E = existence_error(template_var, 'Name')
%? setenv(gchr_test, 5), getenv(gchr_test, V), unsetenv(gchr_test), \+ getenv(gchr_test, _)
%= V = '5'
%? @(X = 1, user)
%= X = 1
%? copy_term_nat(X, f(X, Y, Y), A, B), A = a
%= A = a
%= B = f(a, Y, Y)
%? T = f(X, _, X), numbervars(T, 0, E, [singletons(true)]), format(atom(A), "~p", [T]), E = 1, A == 'f(A,_,A)', fail ; true
%= true
%? catch(current_op(_, _, 1), error(E, _), true), catch(current_op(_, xxx, _), error(F, _), true)
%= E = type_error(atom, 1)
%= F = domain_error(operator_specifier, xxx)
