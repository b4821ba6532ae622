% Input, streams, and output that is put elsewhere.

read(T) :- '$read'(T, _).
read(S, T) :- '$reading_from'(S, read(T)).
read_term(T, Os) :- '$must_be_options'(Os, read_term/2), '$read'(T, Bs), ( '$option'(variable_names, Os, Vs) -> Vs = Bs ; true ),
    ( '$option'(variables, Os, All) -> term_variables(T, All) ; true ),
    ( '$option'(singletons, Os, Ss), Ss \== warning -> term_singletons(T, Vs), '$named_singletons'(Bs, Vs, Ss) ; true ).
'$named_singletons'([], _, []).
'$named_singletons'([N = V|Bs], Vs, Ss) :-
    ( '$identical_in'(Vs, V) -> Ss = [N = V|Ss1] ; Ss = Ss1 ), '$named_singletons'(Bs, Vs, Ss1).
% A list of options, each of which is known.
'$must_be_options'(Os, P) :- '$skip'(Os, T, _), ( T == [], \+ ( '$element'(O, Os), var(O) ) -> true ; ( var(T) ; T == [] ) -> E = instantiation_error ; E = type_error(list, T) ),
    ( var(E) -> true ; throw(error(E, context(system:P, _))) ).
read_term(S, T, Os) :- '$must_be_options'(Os, read_term/3), '$reading_from'(S, read_term(T, Os)).
get_char(S, C) :- '$reading_from'(S, get_char(C)).
peek_char(S, C) :- '$reading_from'(S, peek_char(C)).
get_code(C) :- get_char(Ch), '$code_or_end'(Ch, C).
get_code(S, C) :- '$reading_from'(S, get_code(C)).
peek_code(C) :- peek_char(Ch), '$code_or_end'(Ch, C).
peek_code(S, C) :- '$reading_from'(S, peek_code(C)).
get_byte(C) :- get_code(C).
get_byte(S, C) :- get_code(S, C).
get0(C) :- get_code(C).
get(C) :- repeat, get_code(C0), ( C0 =:= -1 ; \+ code_type(C0, space) ), !, C = C0.
skip(C) :- repeat, get_code(C0), ( C0 == C ; C0 =:= -1 ), !.
'$code_or_end'(end_of_file, -1) :- !.
'$code_or_end'(Ch, C) :- char_code(Ch, C).
at_end_of_stream :- peek_char(end_of_file).
at_end_of_stream(S) :- peek_char(S, end_of_file).
read_line_to_string(S, T) :- '$reading_from'(S, '$read_line'(T0)), T = T0.
read_line_to_codes(S, Cs) :- '$reading_from'(S, '$read_line'(T)), ( T == end_of_file -> Cs = -1 ; string_codes(T, Cs) ).
read_stream_to_codes(S, Cs) :- '$reading_from'(S, '$read_all'(T)), string_codes(T, Cs).
read_string(S, N, T) :- integer(N), !, '$reading_from'(S, '$read_chars'(N, Cs)), string_chars(T, Cs).
read_string(S, N, T) :- '$reading_from'(S, '$read_all'(T0)), T = T0, string_length(T, N).
'$read_chars'(N, Cs) :- ( N =< 0 -> Cs = [] ; get_char(C), '$read_char'(C, N, Cs) ).
'$read_char'(C, N, Cs) :- ( C == end_of_file -> Cs = [] ; Cs = [C|Ds], M is N-1, '$read_chars'(M, Ds) ).
% Up to one of the separators, which is taken; without padding at both ends.
read_string(S, Seps, Pad, Sep, T) :- string_codes(Seps, Cs), '$reading_from'(S, '$read_field'(Cs, Ds, Sep0)), Sep = Sep0,
    string_codes(T0, Ds), split_string(T0, "", Pad, [T]).
'$read_field'(Seps, Cs, Sep) :- get_code(C), ( C =:= -1 -> Cs = [], Sep = C ; '$identical_in'(Seps, C) -> Cs = [], Sep = C ; Cs = [C|Ds], '$read_field'(Seps, Ds, Sep) ).
% A goal that reads, with another current input.
'$reading_from'(S, G) :- '$stream_number'(S, N), '$switch'(N, S, Old),
    ( catch(G, E, ('$select_input'(Old, _), throw(E))) -> '$select_input'(Old, _) ; '$select_input'(Old, _), fail ).
'$switch'(N, _, Old) :- '$select_input'(N, Old), !.
'$switch'(_, S, _) :- throw(error(permission_error(input, stream, S), _)).
% The number of a stream.
'$stream_number'(S, _) :- var(S), !, throw(error(instantiation_error, _)).
'$stream_number'('$stream'(N), N) :- '$stream_file'(N, _, _), !.
'$stream_number'('$stream'(0), 0) :- '$keeps_output', !.
'$stream_number'(S, 0) :- '$console'(S), !.
'$stream_number'(S, N) :- atom(S), '$alias'(S, N), !.
'$stream_number'(S, _) :- atom(S), !, throw(error(existence_error(stream, S), _)).
'$stream_number'(S, _) :- throw(error(domain_error(stream_or_alias, S), _)).
'$console'(S) :- memberchk(S, [user, user_input, user_output, user_error]).
'$stream_of'(0, Console, Console) :- !.
'$stream_of'(N, _, '$stream'(N)).
current_input(S) :- '$must_be_stream'(S, current_input/1), '$select_input'(0, N), '$select_input'(N, _), '$stream_of'(N, user_input, S).
current_output(S) :- '$must_be_stream'(S, current_output/1), '$select_output'(0, N), '$select_output'(N, _), ( N =:= 0, '$keeps_output' -> S = '$stream'(0) ; '$stream_of'(N, user_output, S) ).
'$must_be_stream'(S, P) :- ( atom(S), catch('$stream_number'(S, _), _, fail) -> true ; atom(S) -> throw(error(existence_error(stream, S), context(system:P, _))) ; true ).
set_input(S) :- memberchk(S, [user_output, user_error]), !, throw(error(permission_error(input, stream, S), context(system:set_input/1, _))).
set_input(S) :- '$stream_number'(S, N), '$switch'(N, S, _).
set_output(S) :- S == user_input, !, throw(error(permission_error(output, stream, S), context(system:set_output/1, _))).
set_output(S) :- '$stream_number'(S, N), '$turn'(N, S).
'$turn'(N, _) :- '$select_output'(N, _), !.
'$turn'(_, S) :- throw(error(permission_error(output, stream, S), _)).
is_stream(S) :- nonvar(S), catch('$stream_number'(S, _), _, fail).
open(F, M, S) :- open(F, M, S, []).
open(F, M, S, Os) :- '$must_be_options'(Os, open/4), '$file_name'(F, Name), '$open'(Name, M, N), S = '$stream'(N),
    ( '$option'(alias, Os, A) -> '$set_alias'(A, N) ; true ).
open_string(T, S) :- '$open_text'(T, N), S = '$stream'(N).
open_null_stream(S) :- tmp_file(null, F), open(F, write, S).
% Names that no file has. What a program writes is seen by the program alone.
tmp_file(B, F) :- repeat, N is random(1 << 30), format(atom(F), '/tmp/gchr_~w_~d', [B, N]), \+ exists_file(F), !.
tmp_file_stream(_, F, S) :- var(S), !, '$open_temporary'('', F, S).
tmp_file_stream(F, S, Os) :- ( '$option'(extension, Os, E) -> atom_concat('.', E, D) ; D = '' ), '$open_temporary'(D, F, S).
'$open_temporary'(E, F, S) :- tmp_file(file, F0), atom_concat(F0, E, F), open(F, write, S).
% Names of files are atoms or texts.
'$file_name'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$file_name'(F, _) :- cyclic_term(F), !, throw(error(domain_error(source_sink, F), _)).
'$file_name'(F, Name) :- compound(F), F =.. [_, Inner], !, '$file_name'(Inner, Name).
'$file_name'(A/B, Name) :- !, '$file_name'(A, X), '$file_name'(B, Y), atomic_list_concat([X, /, Y], Name).
'$file_name'(F, Name) :- atom_string(Name, F).
close(S) :- '$stream_number'(S, N), ( N =:= 0 -> true ; '$close'(N) ).
close(S, Os) :- '$must_be_options'(Os, close/2), close(S).
see(S) :- var(S), !, throw(error(instantiation_error, context(system:see/1, _))).
see(S) :- '$console'(S), !, '$select_input'(0, _).
see(S) :- compound(S), S = '$stream'(_), !, set_input(S).
see(F) :- '$opened'(F, read, N), !, '$select_input'(N, _).
see(F) :- open(F, read, S), set_input(S), '$remember'(F, read, S).
seen :- current_input(S), ( '$console'(S) -> true ; close(S) ).
seeing(S) :- current_input(S0), ( S0 == user_input -> S = user ; S = S0 ).
tell(F) :- '$tell'(F, write).
append(F) :- '$tell'(F, append).
'$tell'(S, _) :- '$console'(S), !, '$select_output'(0, _).
'$tell'(S, _) :- compound(S), S = '$stream'(_), !, set_output(S).
'$tell'(F, _) :- '$opened'(F, write, N), !, '$select_output'(N, _).
'$tell'(F, M) :- open(F, M, S), set_output(S), '$remember'(F, write, S).
told :- current_output(S), ( '$console'(S) -> true ; close(S) ).
telling(S) :- current_output(S0), ( S0 == user_output -> S = user ; S = S0 ).
% Files that see/1 and tell/1 opened stay open until they are closed.
'$opened'(F, M, N) :- '$file_name'(F, Name), term_to_atom(M-Name, A), '$alias'(A, N), '$stream_file'(N, _, _).
'$remember'(F, M, '$stream'(N)) :- '$file_name'(F, Name), term_to_atom(M-Name, A), '$set_alias'(A, N).
stream_property(S, P) :- nonvar(S), '$stream_number'(S, N), '$stream_property'(P, N).
'$stream_property'(mode(M), N) :- ( N =:= 0 -> M = append ; '$stream_file'(N, _, M) ).
'$stream_property'(file_name(F), N) :- '$stream_file'(N, F, _).
'$stream_property'(input, N) :- '$stream_file'(N, _, read).
'$stream_property'(output, N) :- '$stream_file'(N, _, write).
access_file(F, M) :- '$file_name'(F, Name), ( memberchk(M, [write, append, none]) -> true ; exists_file(Name) ).
absolute_file_name(F, Name) :- '$file_name'(F, Name).
absolute_file_name(F, Name, _) :- '$file_name'(F, Name).
read_file_to_string(F, T, _) :- open(F, read, S), read_string(S, _, T0), close(S), T = T0.
read_file_to_codes(F, Cs, _) :- open(F, read, S), read_stream_to_codes(S, Cs0), close(S), Cs = Cs0.
read_file_to_terms(F, Ts, _) :- open(F, read, S), '$read_terms'(S, Ts0), close(S), Ts = Ts0.
'$read_terms'(S, Ts) :- read(S, T), ( T == end_of_file -> Ts = [] ; Ts = [T|Rest], '$read_terms'(S, Rest) ).
phrase_from_file(G, F) :- read_file_to_codes(F, Cs, []), phrase(G, Cs).
phrase_from_file(G, F, _) :- phrase_from_file(G, F).
phrase_from_stream(G, S) :- read_stream_to_codes(S, Cs), phrase(G, Cs).
% Clauses of a file, while the program runs.
consult(F) :- is_list(F), !, forall(member(One, F), consult(One)).
consult(F) :- '$file_name'(F, Name), '$source'(Name, File), !, read_file_to_terms(File, Ts, []), '$consult'(Ts, []).
consult(F) :- throw(error(existence_error(source_sink, F), _)).
'$source'(Name, File) :- member(E, ['', '.pl', '.chr', '.prolog']), atom_concat(Name, E, File), exists_file(File), !.
'$consult'([], _).
'$consult'([T|Ts], Known) :- '$consult_term'(T, Known, Known1), '$consult'(Ts, Known1).
'$consult_term'((:- G), Ps, Ps) :- !,
    ( '$consult_word'(G) -> throw(error(permission_error(load, constraints, G), _)) ; catch(G, _, fail) -> true ; true ).
'$consult_term'((?- G), Ps, Ps) :- !, ( catch(G, _, fail) -> true ; true ).
'$consult_term'(T, _, _) :- nonvar(T), functor(T, F, 2), memberchk(F, [<=>, ==>, @, pragma]), !,
    throw(error(permission_error(load, constraints, T), _)).
'$consult_term'((H --> B), Ps, Qs) :- !, dcg_translate_rule((H --> B), C), '$consult_term'(C, Ps, Qs).
'$consult_term'(C, Ps, Qs) :- ( C = (H0 :- _) -> true ; H0 = C ), ( H0 = _:H -> true ; H = H0 ), functor(H, F, N),
    ( memberchk(F/N, Ps) -> Qs = Ps ; Qs = [F/N|Ps], functor(General, F, N), retractall(General) ), assertz(C).
'$consult_word'(G) :- nonvar(G), functor(G, F, _), memberchk(F, [chr_constraint, chr_type, chr_option, constraints]).
put(C) :- char_code(Ch, C), put_char(Ch).
put(S, C) :- char_code(Ch, C), put_char(S, Ch).
put_code(C) :- put(C).
put_byte(C) :- ( nonvar(C), \+ integer(C) -> throw(error(type_error(byte, C), context(system:put_byte/1, _))) ; put(C) ).
portray_clause(S, C) :- with_output_to(string(T), portray_clause(C)), write(S, T).
portray_clause(S, C, _) :- portray_clause(S, C).
swritef(S, F) :- swritef(S, F, []).
swritef(S, F, As) :- with_output_to(string(S), writef(F, As)).
