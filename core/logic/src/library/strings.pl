% Texts of several lines (library(strings)).

% A line feed at the end of a text ends its last line.
string_lines(S, Ls) :- nonvar(S), !, split_string(S, "\n", "", L0), ( '$append'(L1, [""], L0), Ls = L1 -> true ; Ls = L0 ).
string_lines(S, Ls) :- '$each_with'(Ls, "\n", Cs), atomic_list_concat(Cs, A), atom_string(A, S).
'$each_with'([], _, []).
'$each_with'([X|Xs], End, [X, End|Ys]) :- '$each_with'(Xs, End, Ys).
'$lines_of'(S, Ls) :- split_string(S, "\n", "", Ls).
'$of_lines'(Ls, S) :- atomic_list_concat(Ls, '\n', A), atom_string(A, S).
'$is_blank'(L) :- split_string(L, "", " \t\r\n", [""]).

% Without the white space that all lines begin with; blank lines are empty.
dedent_lines(In, Out, _) :-
    '$lines_of'(In, Ls0), '$margin'(Ls0, none, M), '$dedent_all'(Ls0, M, Ls), '$of_lines'(Ls, Out).
'$margin'([], M, M).
'$margin'([L|Ls], M0, M) :-
    ( '$is_blank'(L) -> M1 = M0
    ; string_codes(L, Cs), '$white_before'(Cs, Ws), ( M0 == none -> M1 = Ws ; '$shared_begin'(M0, Ws, M1) ) ),
    '$margin'(Ls, M1, M).
'$white_before'([C|Cs], Ws) :- ( '$element'(C, [0' , 0'\t]) -> Ws = [C|Ws1], '$white_before'(Cs, Ws1) ; Ws = [] ), !.
'$white_before'([], []).
'$shared_begin'([C|As], [C|Bs], Cs) :- !, Cs = [C|Ds], '$shared_begin'(As, Bs, Ds).
'$shared_begin'(_, _, []).
'$dedent_all'([], _, []).
'$dedent_all'([L|Ls], M, [D|Ds]) :-
    ( '$is_blank'(L) -> D = "" ; M == none -> D = L ; '$length'(M, N), sub_string(L, N, _, 0, D) ), '$dedent_all'(Ls, M, Ds).

% Text before all lines that are not blank, or before those that a goal takes.
indent_lines(Prefix, In, Out) :- indent_lines([L]>>( \+ '$is_blank'(L) ), Prefix, In, Out).
indent_lines(Takes, Prefix, In, Out) :- '$lines_of'(In, Ls0), '$indent_all'(Ls0, Takes, Prefix, Ls), '$of_lines'(Ls, Out).
'$indent_all'([], _, _, []).
'$indent_all'([""], _, _, [""]) :- !.
'$indent_all'([L|Ls], G, P, [D|Ds]) :- ( call(G, L) -> string_concat(P, L, D) ; D = L ), '$indent_all'(Ls, G, P, Ds).

% `{Name}` in a text is replaced by what a list `Name=Value` has for it.
interpolate_string(In, Out, Map, _) :-
    string_codes(In, Cs), '$interpolate'(Cs, Map, Ds, []), string_codes(Out, Ds).
'$interpolate'([], _, Ds, Ds).
'$interpolate'([0'{|Cs], Map, Ds0, Ds) :- '$template_name'(Cs, Name, Rest), !,
    ( '$option'(Name, Map, V) -> true ; throw(error(existence_error(template_var, Name), _)) ),
    format(codes(Ds0, Ds1), '~w', [V]), '$interpolate'(Rest, Map, Ds1, Ds).
'$interpolate'([C|Cs], Map, [C|Ds0], Ds) :- '$interpolate'(Cs, Map, Ds0, Ds).
'$template_name'([C|Cs], Name, Rest) :-
    ( code_type(C, upper) ; C =:= 0'_ ), !, '$name_codes'(Cs, Ns, [0'}|Rest]), atom_codes(Name, [C|Ns]).
'$name_codes'([C|Cs], [C|Ns], Rest) :- code_type(C, csym), !, '$name_codes'(Cs, Ns, Rest).
'$name_codes'(Cs, [], Cs).
