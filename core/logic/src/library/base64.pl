% Library(base64): bytes as letters, digits, `+` and `/`, or `-` and `_` in names of files and addresses.

base64(Plain, Encoded) :- '$base64'(Plain, Encoded, [encoding(iso_latin_1), as(atom), padding(true), charset(classic)]).
base64url(Plain, Encoded) :- '$base64'(Plain, Encoded, [encoding(utf8), as(atom), padding(true), charset(url)]).
base64_encoded(Plain, Encoded, Os) :-
    '$must_be_options'(Os, base64_encoded/3),
    '$append'(Os, [encoding(utf8), as(string), padding(true), charset(classic)], All), '$base64'(Plain, Encoded, All).
'$base64'(Plain, Encoded, Os) :-
    '$option'(encoding, Os, E), '$option'(as, Os, As), '$option'(padding, Os, Pad), '$option'(charset, Os, Set),
    (   nonvar(Plain) -> '$base64_codes'(Plain, Cs), '$base64_bytes'(E, Cs, Bs), '$base64_groups'(Bs, Ss, Pad), '$base64_letters'(Ss, Set, Ls), '$base64_text'(As, Ls, Encoded)
    ;   nonvar(Encoded) -> '$base64_codes'(Encoded, Ls), '$base64_letters'(Ss, Set, Ls), '$base64_ungroup'(Ss, Bs, Pad), '$base64_bytes'(E, Cs, Bs), '$base64_text'(As, Cs, Plain)
    ;   throw(error(instantiation_error, _)) ).
'$base64_codes'(T, Cs) :- ( atom(T) ; string(T) ; is_list(T) ), !, '$text_to_string'(T, S), string_codes(S, Cs).
'$base64_codes'(T, _) :- throw(error(type_error(text, T), _)).
'$base64_text'(atom, Cs, A) :- !, atom_codes(A0, Cs), A = A0.
'$base64_text'(string, Cs, S) :- !, string_codes(S0, Cs), S = S0.
'$base64_text'(codes, Cs, Cs).
% Characters and bytes.
'$base64_bytes'(utf8, Cs, Bs) :- !, ( nonvar(Cs) -> '$utf8'(Cs, Bs) ; '$from_utf8'(Bs, Cs) ).
'$base64_bytes'(E, Cs, Bs) :- ( nonvar(Cs) -> '$base64_latin'(Cs, E), Bs = Cs ; Cs = Bs ).
'$base64_latin'([], _).
'$base64_latin'([C|Cs], E) :- ( C > 255 -> throw(error(representation_error(encoding), _)) ; true ), '$base64_latin'(Cs, E).
'$utf8'([], []).
'$utf8'([C|Cs], Bs) :-
    (   C < 0x80 -> Bs = [C|Bs1]
    ;   C < 0x800 -> A is 0xC0 \/ C>>6, '$utf8_next'(C, 0, B), Bs = [A, B|Bs1]
    ;   C < 0x10000 -> A is 0xE0 \/ C>>12, '$utf8_next'(C, 6, B), '$utf8_next'(C, 0, D), Bs = [A, B, D|Bs1]
    ;   A is 0xF0 \/ C>>18, '$utf8_next'(C, 12, B), '$utf8_next'(C, 6, D), '$utf8_next'(C, 0, E), Bs = [A, B, D, E|Bs1] ),
    '$utf8'(Cs, Bs1).
'$utf8_next'(C, By, B) :- B is 0x80 \/ (C>>By /\ 0x3F).
'$from_utf8'([], []).
'$from_utf8'([B|Bs], [C|Cs]) :-
    (   B >= 0xF0, '$utf8_rest'(3, B /\ 0x07, Bs, Bs1, C0) -> true
    ;   B >= 0xE0, B < 0xF0, '$utf8_rest'(2, B /\ 0x0F, Bs, Bs1, C0) -> true
    ;   B >= 0xC0, B < 0xE0, '$utf8_rest'(1, B /\ 0x1F, Bs, Bs1, C0) -> true
    ;   C0 = B, Bs1 = Bs ),
    C = C0, '$from_utf8'(Bs1, Cs).
'$utf8_rest'(0, C0, Bs, Bs, C) :- !, C is C0.
'$utf8_rest'(N, C0, [B|Bs], Rest, C) :- B /\ 0xC0 =:= 0x80, M is N-1, C1 is C0<<6 \/ (B /\ 0x3F), '$utf8_rest'(M, C1, Bs, Rest, C).
% Three bytes are four numbers of six bits; 64 stands for padding.
'$base64_groups'([], [], _).
'$base64_groups'([A], [W, X|P], Pad) :- !, W is A>>2, X is (A /\ 3)<<4, ( Pad == true -> P = [64, 64] ; P = [] ).
'$base64_groups'([A, B], [W, X, Y|P], Pad) :- !, W is A>>2, X is (A /\ 3)<<4 \/ B>>4, Y is (B /\ 15)<<2, ( Pad == true -> P = [64] ; P = [] ).
'$base64_groups'([A, B, C|Bs], [W, X, Y, Z|Ss], Pad) :-
    W is A>>2, X is (A /\ 3)<<4 \/ B>>4, Y is (B /\ 15)<<2 \/ C>>6, Z is C /\ 63, '$base64_groups'(Bs, Ss, Pad).
'$base64_ungroup'([], [], _).
'$base64_ungroup'([W, X], [A], Pad) :- !, Pad == false, A is W<<2 \/ X>>4.
'$base64_ungroup'([W, X, Y], [A, B], Pad) :- !, Pad == false, A is W<<2 \/ X>>4, B is (X /\ 15)<<4 \/ Y>>2.
'$base64_ungroup'([W, X, 64, 64], [A], _) :- !, A is W<<2 \/ X>>4.
'$base64_ungroup'([W, X, Y, 64], [A, B], _) :- !, A is W<<2 \/ X>>4, B is (X /\ 15)<<4 \/ Y>>2.
'$base64_ungroup'([W, X, Y, Z|Ss], [A, B, C|Bs], Pad) :-
    A is W<<2 \/ X>>4, B is (X /\ 15)<<4 \/ Y>>2, C is (Y /\ 3)<<6 \/ Z, '$base64_ungroup'(Ss, Bs, Pad).
'$base64_letters'([], _, []) :- !.
'$base64_letters'([S|Ss], Set, [L|Ls]) :- ( nonvar(S) -> '$base64_letter'(S, Set, L) ; '$base64_value'(L, Set, S) ), '$base64_letters'(Ss, Set, Ls).
'$base64_letter'(S, Set, L) :-
    (   S < 26 -> L is S+0'A
    ;   S < 52 -> L is S-26+0'a
    ;   S < 62 -> L is S-52+0'0
    ;   S =:= 64 -> L = 0'=
    ;   '$base64_last'(Set, P, Q), ( S =:= 62 -> L = P ; L = Q ) ).
'$base64_value'(L, Set, S) :-
    (   L >= 0'A, L =< 0'Z -> S is L-0'A
    ;   L >= 0'a, L =< 0'z -> S is L-0'a+26
    ;   L >= 0'0, L =< 0'9 -> S is L-0'0+52
    ;   L =:= 0'= -> S = 64
    ;   '$base64_last'(Set, P, Q), ( L =:= P -> S = 62 ; L =:= Q -> S = 63 ) -> true
    ;   throw(error(syntax_error(base64_char(_, L)), _)) ).
'$base64_last'(classic, 0'+, 0'/).
'$base64_last'(url, 0'-, 0'_).
