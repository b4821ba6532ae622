% Input, streams, and output that is put elsewhere.

read(T) :- '$read'(T, _).
read(_, T) :- '$read'(T, _).
read_term(T, Os) :- '$read'(T, Bs), ( '$option'(variable_names, Os, Vs) -> Vs = Bs ; true ),
    ( '$option'(variables, Os, All) -> term_variables(T, All) ; true ).
read_term(_, T, Os) :- read_term(T, Os).
get_char(_, C) :- get_char(C).
peek_char(_, C) :- peek_char(C).
get_code(C) :- get_char(Ch), '$code_or_end'(Ch, C).
get_code(_, C) :- get_code(C).
peek_code(C) :- peek_char(Ch), '$code_or_end'(Ch, C).
peek_code(_, C) :- peek_code(C).
get_byte(C) :- get_code(C).
get_byte(_, C) :- get_code(C).
get0(C) :- get_code(C).
get(C) :- repeat, get_code(C0), ( C0 =:= -1 ; \+ code_type(C0, space) ), !, C = C0.
skip(C) :- repeat, get_code(C0), ( C0 == C ; C0 =:= -1 ), !.
'$code_or_end'(end_of_file, -1) :- !.
'$code_or_end'(Ch, C) :- char_code(Ch, C).
at_end_of_stream :- peek_char(end_of_file).
at_end_of_stream(_) :- peek_char(end_of_file).
read_line_to_string(_, S) :- '$read_line'(S0), S = S0.
read_line_to_codes(_, Cs) :- '$read_line'(S), ( S == end_of_file -> Cs = -1 ; string_codes(S, Cs) ).
read_stream_to_codes(_, Cs) :- '$read_all'(S), string_codes(S, Cs).
read_string(_, _, S) :- '$read_all'(S0), S = S0.
current_input(user_input).
current_output(user_output).
set_input(_).
set_output(_).
is_stream(S) :- memberchk(S, [user_input, user_output, user_error]).
see(S) :- '$console'(S).
tell(S) :- '$console'(S).
append(S) :- '$console'(S).
seen.
told.
seeing(user).
telling(user).
close(_).
close(_, _).
'$console'(S) :- memberchk(S, [user, user_input, user_output, user_error]), !.
'$console'(S) :- throw(error(permission_error(open, source_sink, S), _)).
open(S, M, _) :- throw(error(permission_error(open, source_sink, S), context(M, _))).
open(S, M, St, _) :- open(S, M, St).
exists_file(_) :- fail.
exists_directory(_) :- fail.
put(C) :- char_code(Ch, C), put_char(Ch).
put(S, C) :- char_code(Ch, C), put_char(S, Ch).
put_code(C) :- put(C).
put_byte(C) :- put(C).
portray_clause(S, C) :- with_output_to(string(T), portray_clause(C)), write(S, T).
swritef(S, F) :- swritef(S, F, []).
swritef(S, F, As) :- with_output_to(string(S), writef(F, As)).
string_lines(S, Ls) :- nonvar(S), !, split_string(S, "\n", "", L0), ( append(Ls0, [""], L0) -> Ls = Ls0 ; Ls = L0 ).
string_lines(S, Ls) :- atomic_list_concat(Ls, '\n', A), atom_string(A, S).
