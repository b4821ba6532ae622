% Grammars of text: the rules of library(dcg/basics) and library(dcg/high_order) as clauses.

eos([],[]).
eol(_S0, _S1) :- (_S0=[10|_S2], !, _S1=_S2).
eol(_S0, _S1) :- (_S0=[13, 10|_S2], !, _S1=_S2).
eol([],[]).
remainder(R,R,[]).
string([], _S0, _S1) :- _S0=_S1.
string([C|Cs], _S0, _S1) :- (_S0=[C|_S2], string(Cs, _S2, _S1)).
string_without(End, Cs, _S0, _S1) :- (('$code_list'(End, Es), _S2=_S0), '$string_without'(Es, Cs, _S2, _S1)).
'$code_list'(T, Cs) :- (is_list(T)->Cs=T;string_codes(T, Cs)).
'$string_without'(Es, [C|Cs], _S0, _S1) :- (_S0=[C|_S2], (\+memberchk(C, Es), _S3=_S2), (!, _S4=_S3), '$string_without'(Es, Cs, _S4, _S1)).
'$string_without'(_S0, [], _S1, _S2) :- _S1=_S2.
blank(_S0, _S1) :- (_S0=[C|_S2], (nonvar(C), code_type(C, space)), _S1=_S2).
blanks(_S0, _S1) :- (blank(_S0, _S2), (!, _S3=_S2), blanks(_S3, _S1)).
blanks(_S0, _S1) :- _S0=_S1.
white(_S0, _S1) :- (_S0=[C|_S2], (nonvar(C), code_type(C, white)), _S1=_S2).
whites(_S0, _S1) :- (white(_S0, _S2), (!, _S3=_S2), whites(_S3, _S1)).
whites(_S0, _S1) :- _S0=_S1.
nonblank(C, _S0, _S1) :- (_S0=[C|_S2], code_type(C, graph), _S1=_S2).
nonblanks([C|Cs], _S0, _S1) :- (_S0=[C|_S2], (code_type(C, graph), _S3=_S2), (!, _S4=_S3), nonblanks(Cs, _S4, _S1)).
nonblanks([], _S0, _S1) :- _S0=_S1.
blanks_to_nl(_S0, _S1) :- (_S0=[C|_S2], ((C\==10, code_type(C, space)), _S3=_S2), (!, _S4=_S3), blanks_to_nl(_S4, _S1)).
blanks_to_nl(_S0, _S1) :- (_S0=[10|_S2], !, _S1=_S2).
blanks_to_nl([],[]).
alpha_to_lower(L, _S0, _S1) :- (_S0=[C|_S2], (nonvar(C), code_type(C, alpha), to_lower(C, L)), _S1=_S2).
digit(C, _S0, _S1) :- (_S0=[C|_S2], code_type(C, digit(_S3)), _S1=_S2).
digits([C|Cs], _S0, _S1) :- (digit(C, _S0, _S2), (!, _S3=_S2), digits(Cs, _S3, _S1)).
digits([], _S0, _S1) :- _S0=_S1.
integer(N, S0, S) :- (integer(N), !, format(codes(Cs), '~d', [N]), append(Cs, S, S0)).
integer(N, _S0, _S1) :- ('$digits_signed'(Cs, _S0, _S2), number_codes(N, Cs), _S1=_S2).
'$digits_signed'([45, D|Ds], _S0, _S1) :- (_S0=[45|_S2], (!, _S3=_S2), digit(D, _S3, _S4), digits(Ds, _S4, _S1)).
'$digits_signed'([D|Ds], _S0, _S1) :- (_S0=[43|_S2], (!, _S3=_S2), digit(D, _S3, _S4), digits(Ds, _S4, _S1)).
'$digits_signed'([D|Ds], _S0, _S1) :- (digit(D, _S0, _S2), digits(Ds, _S2, _S1)).
float(X, S0, S) :- (float(X), !, format(codes(Cs), '~w', [X]), append(Cs, S, S0)).
float(X, _S0, _S1) :- (number(N, _S0, _S2), X is float(N), _S1=_S2).
number(N, S0, S) :- (number(N), !, format(codes(Cs), '~w', [N]), append(Cs, S, S0)).
number(N, _S0, _S1) :- ('$digits_signed'(I, _S0, _S2), (_S2=[46|_S3], digit(D, _S3, _S4), (!, _S5=_S4), digits(Ds, _S5, _S6), append(I, [46, D|Ds], F), _S7=_S6;F=I, _S7=_S2), ('$exponent'(E, _S7, _S8), (!, _S9=_S8), (append(F, E, Cs0), '$float_codes'(I, F, E, Cs0, Cs)), _S10=_S9;Cs=F, _S10=_S7), number_codes(N, Cs), _S1=_S10).
'$exponent'([101|Cs], _S0, _S1) :- ((_S0=[101|_S2];_S0=[69|_S2]), '$digits_signed'(Cs, _S2, _S1)).
'$float_codes'(I, I, E, _S0, Cs) :- (!, append(I, [46, 48|E], Cs)).
'$float_codes'(_S0,_S1,_S2,Cs,Cs).
xdigit(W, _S0, _S1) :- (_S0=[C|_S2], code_type(C, xdigit(W)), _S1=_S2).
xdigits([W|Ws], _S0, _S1) :- (xdigit(W, _S0, _S2), (!, _S3=_S2), xdigits(Ws, _S3, _S1)).
xdigits([], _S0, _S1) :- _S0=_S1.
xinteger(N, _S0, _S1) :- (xdigit(W, _S0, _S2), xdigits(Ws, _S2, _S3), foldl([D, A, B]>>(B is A*16+D), [W|Ws], 0, N), _S1=_S3).
prolog_symbol(S, _S0, _S1) :- (_S0=[C|_S2], (memberchk(C, [35, 36, 38, 42, 43, 45, 46, 47, 58, 60, 61, 62, 63, 64, 92, 94, 126]), _S3=_S2), string(Cs, _S3, _S4), atom_codes(S, [C|Cs]), _S1=_S4).
csym(C, _S0, _S1) :- (_S0=[C|_S2], code_type(C, csym), _S1=_S2).
csyms([C|Cs], _S0, _S1) :- (csym(C, _S0, _S2), (!, _S3=_S2), csyms(Cs, _S3, _S1)).
csyms([], _S0, _S1) :- _S0=_S1.
atom(A, S0, S) :- (format(codes(Cs), '~w', [A]), append(Cs, S, S0)).
sequence(G, L, S0, S) :- '$sequence'(L, G, S0, S).
'$sequence'([X|Xs], G, S0, S) :- call(G, X, S0, S1), '$sequence'(Xs, G, S1, S).
'$sequence'([], _, S, S).
sequence(G, Sep, L, S0, S) :- '$separated'(L, G, Sep, S0, S).
'$separated'(L, G, Sep, S0, S) :- var(L), !,
    (   call(G, X, S0, S1)
    *-> ( phrase(Sep, S1, S2) -> !, L = [X|Xs], '$separated_on'(Xs, G, Sep, S2, S) ; L = [X], S = S1 )
    ;   L = [], S = S0
    ).
'$separated'([X|Xs], G, Sep, S0, S) :- call(G, X, S0, S1), ( Xs == [] -> S = S1 ; phrase(Sep, S1, S2), '$separated'(Xs, G, Sep, S2, S) ).
'$separated'([], _, _, S, S).
'$separated_on'([X|Xs], G, Sep, S0, S) :- call(G, X, S0, S1), ( phrase(Sep, S1, S2) -> !, '$separated_on'(Xs, G, Sep, S2, S) ; Xs = [], S = S1 ).
sequence(Start, G, Sep, End, L, S0, S) :- phrase(Start, S0, S1), '$separated'(L, G, Sep, S1, S2), phrase(End, S2, S3), !, S = S3.
optional(G, _S0, _S1, _S2) :- (phrase(G, _S1, _S3), !, _S2=_S3).
optional(_S0, D, _S1, _S2) :- phrase(D, _S1, _S2).
