% Tables as texts (library(csv)): rows of fields between separators, quoted where a field has one of them.

csv(Rows, Cs0, Cs) :- csv(Rows, [], Cs0, Cs).
csv(Rows, Os, Cs0, Cs) :- '$csv_how'(0',, Os, How), '$csv_rows'(Cs0, How, Rows), Cs = [].

% What options say: separator, quotes are obeyed, fields are converted, space around fields goes, name and arity of rows.
'$csv_how'(Sep0, Os, how(Sep, Quotes, Convert, Strip, Name, Arity)) :-
    option(separator(Sep), Os, Sep0), option(ignore_quotes(Ignored), Os, false),
    ( Ignored == true -> Quotes = false ; Quotes = true ),
    option(convert(Convert), Os, true), option(strip(Strip), Os, false), option(functor(Name), Os, row),
    ( '$option'(arity, Os, A) -> Arity = A ; option(match_arity(Same), Os, true), Same == false -> Arity = any ; true ).

'$csv_rows'([], _, []).
'$csv_rows'([C|Cs0], How, [Row|Rows]) :-
    '$csv_row'(How, Row, [C|Cs0], Cs), functor(Row, _, A), '$csv_arity'(How, A), '$csv_rows'(Cs, How, Rows).
'$csv_arity'(how(_, _, _, _, _, Arity), A) :-
    ( Arity = A -> true ; Arity == any -> true ; throw(error(domain_error(row_arity(Arity), A), _)) ).
'$csv_row'(How, Row, Cs0, Cs) :- '$csv_fields'(How, Fs, Cs0, Cs), How = how(_, _, _, _, Name, _), Row =.. [Name|Fs].
'$csv_fields'(How, [F|Fs], Cs0, Cs) :-
    How = how(Sep, Quotes, Convert, Strip, _, _),
    ( Quotes == true, Cs0 = [0'"|Cs1] -> '$csv_quoted'(Cs1, Ds, Cs2) ; '$csv_plain'(Cs0, Sep, Ds, Cs2) ),
    ( Strip == true -> string_codes(S0, Ds), split_string(S0, "", " \t", [S]), string_codes(S, Es) ; Es = Ds ),
    ( Convert == true -> name(F, Es) ; atom_codes(F, Es) ),
    '$csv_behind'(Cs2, Sep, How, Fs, Cs).
'$csv_behind'([Sep|Cs0], Sep, How, Fs, Cs) :- !, '$csv_fields'(How, Fs, Cs0, Cs).
'$csv_behind'([0'\r, 0'\n|Cs], _, _, [], Cs) :- !.
'$csv_behind'([0'\n|Cs], _, _, [], Cs) :- !.
'$csv_behind'([0'\r|Cs], _, _, [], Cs) :- !.
'$csv_behind'([], _, _, [], []).
'$csv_quoted'([0'", 0'"|Cs0], [0'"|Ds], Cs) :- !, '$csv_quoted'(Cs0, Ds, Cs).
'$csv_quoted'([0'"|Cs], [], Cs) :- !.
'$csv_quoted'([C|Cs0], [C|Ds], Cs) :- '$csv_quoted'(Cs0, Ds, Cs).
'$csv_plain'([C|Cs0], Sep, Ds, Cs) :- C =\= Sep, C =\= 0'\n, C =\= 0'\r, !, Ds = [C|Ds1], '$csv_plain'(Cs0, Sep, Ds1, Cs).
'$csv_plain'(Cs, _, [], Cs).

csv_read_file(F, Rows) :- csv_read_file(F, Rows, []).
csv_read_file(F, Rows, Os) :- '$csv_file'(F, Os, How), read_file_to_codes(F, Cs, []), '$csv_rows'(Cs, How, Rows).
'$csv_file'(F, Os, How) :-
    '$file_name'(F, Name), ( file_name_extension(_, tsv, Name) -> Sep = 0'\t ; Sep = 0', ), '$csv_how'(Sep, Os, How).
% Rows of any arity, one after the other; `line(L)` is where a row begins.
csv_read_file_row(F, Row, Os) :-
    ( '$option'(arity, Os, _) -> Os1 = Os ; Os1 = [match_arity(false)|Os] ), '$csv_file'(F, Os1, How), read_file_to_codes(F, Cs, []),
    ( '$option'(line, Os, Line) -> true ; true ), '$csv_each'(Cs, 1, How, Row, Line).
'$csv_each'(Cs0, N, How, Row, Line) :-
    Cs0 \== [], '$csv_row'(How, Row0, Cs0, Cs), functor(Row0, _, A), '$csv_arity'(How, A),
    (   Cs == [] -> Row = Row0, Line = N
    ;   Row = Row0, Line = N
    ;   Row0 =.. [_|Fs], '$csv_lines'(Fs, N, M0), M is M0+1, '$csv_each'(Cs, M, How, Row, Line)
    ).
% A row ends one line, and as many as its fields have line feeds.
'$csv_lines'([], N, N).
'$csv_lines'([F|Fs], N0, N) :-
    ( atom(F) -> atom_codes(F, Cs), '$csv_feeds'(Cs, N0, N1) ; N1 = N0 ), '$csv_lines'(Fs, N1, N).
'$csv_feeds'([], N, N).
'$csv_feeds'([C|Cs], N0, N) :- ( C =:= 0'\n -> N1 is N0+1 ; N1 = N0 ), '$csv_feeds'(Cs, N1, N).

csv_write_file(F, Rows) :- csv_write_file(F, Rows, []).
csv_write_file(F, Rows, Os) :- open(F, write, S), '$csv_file'(F, Os, How), '$csv_write'(Rows, S, How), close(S).
csv_write_stream(S, Rows, Os) :- '$csv_how'(0',, Os, How), '$csv_write'(Rows, S, How).
'$csv_write'([], _, _).
'$csv_write'([Row|Rows], S, How) :-
    Row =.. [_|Fs], How = how(Sep, _, _, _, _, _), '$csv_write_fields'(Fs, S, Sep), write(S, '\r\n'), '$csv_write'(Rows, S, How).
'$csv_write_fields'([], _, _).
'$csv_write_fields'([F|Fs], S, Sep) :-
    format(codes(Cs), '~w', [F]),
    (   '$element'(C, Cs), '$element'(C, [Sep, 0'", 0'\n, 0'\r]) -> '$csv_doubled'(Cs, Ds), format(S, '"~s"', [Ds])
    ;   format(S, '~s', [Cs]) ),
    ( Fs == [] -> true ; put(S, Sep) ), '$csv_write_fields'(Fs, S, Sep).
'$csv_doubled'([], []).
'$csv_doubled'([C|Cs], Ds) :- ( C =:= 0'" -> Ds = [C, C|Es] ; Ds = [C|Es] ), '$csv_doubled'(Cs, Es).
