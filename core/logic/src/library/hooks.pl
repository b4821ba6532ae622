% Predicates that write, for programs that define portray/1 or write with the directive `~@` of format/2. There they
% stand in place of the machine's own, whose names begin with `$plain:` then.

print(T) :- '$portrayed'(T, P, Ns), '$plain:write_term'(P, [quoted(true), numbervars(true), variable_names(Ns)]).
print(S, T) :- '$portrayed'(T, P, Ns), '$plain:write_term'(S, P, [quoted(true), numbervars(true), variable_names(Ns)]).
write_term(T, Os) :- '$portray_option'(T, P, Os, Ps), '$plain:write_term'(P, Ps).
write_term(S, T, Os) :- '$portray_option'(T, P, Os, Ps), '$plain:write_term'(S, P, Ps).
'$portray_option'(T, P, Os, Ps) :- is_list(Os), '$option'(portray, Os, V), V == true, !,
    '$portrayed'(T, P, Ns), Ps = [variable_names(Ns)|Os].
'$portray_option'(T, T, Os, Os).

% Parts of a term that portray/1 writes are variables of that name.
'$portrayed'(T, P, Ns) :- '$portray_part'(T, P, Ns, []).
'$portray_part'(T, P, Ns, Ns) :- var(T), !, P = T.
'$portray_part'(T, P, [S = P|Ns], Ns) :- '$portray_text'(T, S), !.
'$portray_part'(T, P, Ns, Ns) :- ( atomic(T) ; cyclic_term(T) ), !, P = T.
'$portray_part'([H|T], [P|Q], Ns0, Ns) :- !, '$portray_part'(H, P, Ns0, Ns1), '$portray_tail'(T, Q, Ns1, Ns).
'$portray_part'(T, P, Ns0, Ns) :- T =.. [F|As], '$portray_parts'(As, Bs, Ns0, Ns), P =.. [F|Bs].
'$portray_parts'([], [], Ns, Ns).
'$portray_parts'([T|Ts], [P|Ps], Ns0, Ns) :- '$portray_part'(T, P, Ns0, Ns1), '$portray_parts'(Ts, Ps, Ns1, Ns).
'$portray_tail'(L, [P|Q], Ns0, Ns) :- nonvar(L), L = [H|T], !,
    '$portray_part'(H, P, Ns0, Ns1), '$portray_tail'(T, Q, Ns1, Ns).
'$portray_tail'(T, P, Ns0, Ns) :- ( T == [] -> P = T, Ns0 = Ns ; '$portray_part'(T, P, Ns0, Ns) ).
'$portray_text'(T, S) :- current_predicate(portray/1), with_output_to(string(S), \+ \+ portray(T)).

format(F) :- format(F, []).
format(F, As) :- '$format_parts'(F, As, G, Bs), '$plain:format'(G, Bs).
'$format'(S, F, As) :- '$format_parts'(F, As, G, Bs), '$plain:$format'(S, G, Bs).
% What `~p` and `~@` write is written first, and handed on as a text.
'$format_parts'(F, As, F, As) :- var(F), !.
'$format_parts'(F, As0, G, Bs) :- ( is_list(As0) -> As = As0 ; As = [As0] ), string_codes(F, Cs),
    '$format_codes'(Cs, As, Ds, Bs), string_codes(G, Ds).
'$format_codes'([], As, [], As).
'$format_codes'([C|T], As, [C|R], Bs) :-
    ( C =:= 0'~ -> '$format_number'(T, As, R, Bs) ; '$format_codes'(T, As, R, Bs) ).
'$format_number'([0'`, C|T], As, [0'`, C|R], Bs) :- !, '$format_directive'(T, As, R, Bs).
'$format_number'([0'*|T], [A|As], [0'*|R], [A|Bs]) :- !, '$format_directive'(T, As, R, Bs).
'$format_number'([D|T], As, [D|R], Bs) :- D >= 0'0, D =< 0'9, !, '$format_number'(T, As, R, Bs).
'$format_number'(T, As, R, Bs) :- '$format_directive'(T, As, R, Bs).
'$format_directive'([0'p|T], [A|As], [0'w|R], [S|Bs]) :- !,
    with_output_to(string(S), print(A)), '$format_codes'(T, As, R, Bs).
'$format_directive'([0'@|T], [A|As], [0'w|R], [S|Bs]) :- !,
    with_output_to(string(S), A), '$format_codes'(T, As, R, Bs).
'$format_directive'([0'W|T], [A, Os|As], [0'W|R], [A, Os|Bs]) :- !, '$format_codes'(T, As, R, Bs).
'$format_directive'([D|T], As, [D|R], Bs) :- '$element'(D, [0'~, 0'n, 0'N, 0't, 0'|, 0'+]), !, '$format_codes'(T, As, R, Bs).
'$format_directive'([D|T], [A|As], [D|R], [A|Bs]) :- !, '$format_codes'(T, As, R, Bs).
'$format_directive'(T, As, T, As).
