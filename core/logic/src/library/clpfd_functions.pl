% Functions of constraints over integers that are not linear: what the domains of operands and result say of each other.

:- op(760, yfx, [#<==>]).
:- op(750, xfy, [#==>]).
:- op(750, yfx, [#<==]).
:- op(740, yfx, [#\/]).
:- op(730, yfx, [#\]).
:- op(720, yfx, [#/\]).
:- op(710, fy, [#\]).
:- op(700, xfx, [#>, #<, #>=, #=<, #=, #\=, in, ins, in_set]).
:- op(450, xfx, [..]).

'$fd_operation'(X*Y, *, X, Y).
'$fd_operation'(X//Y, //, X, Y).
'$fd_operation'(X div Y, div, X, Y).
'$fd_operation'(X mod Y, mod, X, Y).
'$fd_operation'(X rem Y, rem, X, Y).
'$fd_operation'(min(X, Y), min, X, Y).
'$fd_operation'(max(X, Y), max, X, Y).
'$fd_operation'(X^Y, ^, X, Y).
'$fd_operation'(abs(X), abs, X, 0).
'$fd_operation'(X << Y, <<, X, Y).
'$fd_operation'(X >> Y, >>, X, Y).
'$fd_operation'(X /\ Y, /\, X, Y).
'$fd_operation'(X \/ Y, \/, X, Y).
'$fd_operation'(xor(X, Y), xor, X, Y).
'$fd_operation'(msb(X), msb, X, 0).
'$fd_defined'(F, X, Y, Z) :- '$fd_has_value'(F, X, Y), '$fd_operation'(T, F, X, Y), !, Z is T.
'$fd_has_value'(F, X, Y) :-
    ( memberchk(F, [//, div, mod, rem]) -> Y =\= 0
    ; F == (^) -> ( Y >= 0 -> true ; X =:= 1 -> true ; X =:= -1 )
    ; F == msb -> X > 0
    ; true ).
'$fd_applied'(*, X, Y, Z) :- X == Y, !, '$fd_applied'(^, X, 2, Z).
'$fd_applied'(max, X, Y, Z) :- !, Z #>= X, Z #>= Y, '$fd_post'(fun(max, X, Y, Z), Z #= max(X, Y)).
'$fd_applied'(min, X, Y, Z) :- !, X #>= Z, Y #>= Z, '$fd_post'(fun(min, X, Y, Z), Z #= min(X, Y)).
'$fd_applied'(abs, X, _, Z) :- !, '$fd_above'(Z, 0), '$fd_post'(fun(abs, X, 0, Z), Z #= abs(X)).
'$fd_applied'(F, X, Y, Z) :- ( memberchk(F, [//, div, mod, rem]) -> '$fd_remove'(Y, 0) ; true ),
    '$fd_operation'(T, F, X, Y), !, '$fd_post'(fun(F, X, Y, Z), T #= Z).

'$fd_function'(F, X, Y, Z, P) :- integer(X), integer(Y), !, '$fd_done'(P), '$fd_defined'(F, X, Y, V), '$fd_narrow'(Z, [V-V]).
'$fd_function'(*, X, Y, Z, P) :- !, '$fd_product'(X, Y, Z, P).
'$fd_function'(abs, X, _, Z, P) :- !, ( integer(Z) -> '$fd_done'(P) ; true ),
    '$fd_get'(Z, D), '$fd_both'(D, DX), '$fd_narrow'(X, DX), '$fd_get'(X, D1), '$fd_both'(D1, D2), '$fd_narrow'(Z, D2).
'$fd_function'(max, X, Y, Z, P) :- !, '$fd_ends'(X, XL, XH), '$fd_ends'(Y, YL, YH),
    ( YL > XH -> '$fd_done'(P), Z = Y ; XL > YH -> '$fd_done'(P), Z = X
    ; ( XH > YH -> H = XH ; H = YH ), '$fd_below'(Z, H), '$fd_low'(Z, ZL),
      ( ZL > XH -> '$fd_done'(P), Z = Y ; ZL > YH -> '$fd_done'(P), Z = X ; true ) ).
'$fd_function'(min, X, Y, Z, P) :- !, '$fd_ends'(X, XL, XH), '$fd_ends'(Y, YL, YH),
    ( YL > XH -> '$fd_done'(P), Z = X ; XL > YH -> '$fd_done'(P), Z = Y
    ; ( XL < YL -> L = XL ; L = YL ), '$fd_above'(Z, L), '$fd_high'(Z, ZH),
      ( ZH < XL -> '$fd_done'(P), Z = Y ; ZH < YL -> '$fd_done'(P), Z = X ; true ) ).
'$fd_function'(^, X, Y, Z, P) :- !, '$fd_power'(X, Y, Z, P).
'$fd_function'(mod, X, Y, Z, _) :- integer(Y), !, '$fd_modulo'(X, Y, Z).
'$fd_function'(rem, X, Y, Z, _) :- integer(Y), !, '$fd_ends'(X, L, H), M is abs(Y), N is M-1,
    ( L >= 0 -> '$fd_modulo'(X, M, Z) ; H =< 0 -> B is -N, '$fd_between'(Z, B, 0) ; B is -N, '$fd_between'(Z, B, N) ).
'$fd_function'(//, X, Y, Z, P) :- !, '$fd_truncated'(X, Y, Z, P).
'$fd_function'(div, X, Y, Z, P) :- integer(Y), Y > 0, !, ( integer(Z) -> '$fd_done'(P) ; true ), '$fd_ends'(X, XL, XH), '$fd_quotients'(div, XL, XH, Y, A, B), '$fd_between'(Z, A, B),
    '$fd_ends'(Z, ZL, ZH), ( integer(ZL) -> L is ZL*Y, '$fd_above'(X, L) ; true ), ( integer(ZH) -> H is ZH*Y+Y-1, '$fd_below'(X, H) ; true ).
'$fd_function'(_, _, _, _, _).
% The values of a domain, and what they are with the other sign.
'$fd_both'(D, Both) :- '$fd_negated_domain'(D, N), append(N, D, L), '$fd_union'(L, Both).

% Products. A factor is a quotient where the other one is not 0.
'$fd_product'(X, Y, Z, P) :- integer(X), !, '$fd_done'(P), '$fd_linear'(X*Y, Z, eq).
'$fd_product'(X, Y, Z, P) :- integer(Y), !, '$fd_done'(P), '$fd_linear'(Y*X, Z, eq).
'$fd_product'(X, Y, Z, P) :- X == Y, !, '$fd_done'(P), '$fd_applied'(^, X, 2, Z).
'$fd_product'(X, Y, Z, _) :- '$fd_ends'(X, A, B), '$fd_ends'(Y, C, D), '$fd_products'(A, B, C, D, L, H), '$fd_between'(Z, L, H),
    ( '$fd_get'(Z, DZ), '$fd_within'(DZ, 0) -> true ; '$fd_factors'(X, Y, Z) ),
    '$fd_factor'(Y, X, Z), '$fd_factor'(X, Y, Z).
'$fd_factors'(X, Y, Z) :- '$fd_remove'(X, 0), '$fd_remove'(Y, 0), '$fd_ends'(Z, L, H),
    ( integer(L), integer(H) -> M is max(abs(L), abs(H)), N is -M, '$fd_between'(X, N, M), '$fd_between'(Y, N, M) ; true ).
'$fd_products'(A, B, C, D, L, H) :- '$fd_times'(A, C, P), '$fd_times'(A, D, Q), '$fd_times'(B, C, R), '$fd_times'(B, D, S),
    L is min(min(P, Q), min(R, S)), H is max(max(P, Q), max(R, S)).
'$fd_times'(A, B, C) :- ( integer(A), integer(B) -> C is A*B ; A =:= 0 -> C = 0 ; B =:= 0 -> C = 0 ; sign(A)*sign(B) > 0 -> C is inf ; C is -inf ).
'$fd_factor'(X, Y, Z) :- '$fd_ends'(Z, ZL, ZH), '$fd_ends'(Y, C, D),
    ( integer(ZL), integer(ZH), ( C > 0 ; D < 0 ) -> '$fd_ratio'(ZL, C, A1, B1), '$fd_ratio'(ZL, D, A2, B2), '$fd_ratio'(ZH, C, A3, B3), '$fd_ratio'(ZH, D, A4, B4),
      L is min(min(A1, A2), min(A3, A4)), H is max(max(B1, B2), max(B3, B4)), '$fd_between'(X, L, H)
    ; true ).
'$fd_ratio'(N, D, L, H) :- ( integer(D) -> L is -((-N) div D), H is N div D ; N =:= 0 -> L = 0, H = 0 ; sign(N)*sign(D) > 0 -> L = 1, H = 0 ; L = 0, H = -1 ).

'$fd_modulo'(X, Y, Z) :- ( Y > 0 -> H is Y-1, '$fd_between'(Z, 0, H) ; L is Y+1, '$fd_between'(Z, L, 0) ),
    '$fd_ends'(X, XL, XH), ( Y > 0, XL >= 0, XH < Y -> Z = X ; '$fd_get'(Z, D), '$fd_first'(XL, XH, 1, Y, D, A), '$fd_first'(XH, XL, -1, Y, D, B), '$fd_between'(X, A, B) ).
% The value next to an end of which the remainder is in the domain.
'$fd_first'(N, _, _, _, _, N) :- \+ integer(N), !.
'$fd_first'(N, End, Step, Y, D, V) :- R is N mod Y, ( '$fd_within'(D, R) -> V = N ; N =\= End, M is N+Step, '$fd_first'(M, End, Step, Y, D, V) ).

'$fd_truncated'(X, Y, Z, P) :- integer(Y), !,
    ( Y =:= 1 -> '$fd_done'(P), X = Z
    ; integer(Z), Z =:= 0 -> '$fd_done'(P), M is abs(Y)-1, N is -M, '$fd_between'(X, N, M)
    ; '$fd_ends'(X, XL, XH), '$fd_quotients'(//, XL, XH, Y, A, B), '$fd_between'(Z, A, B), '$fd_ends'(Z, ZL, ZH),
      ( Y > 0 -> '$fd_dividends'(ZL, ZH, Y, L, H) ; NL is -ZH, NH is -ZL, M is -Y, '$fd_dividends'(NL, NH, M, L, H) ),
      ( integer(Z) -> '$fd_done'(P) ; true ), '$fd_between'(X, L, H) ).
'$fd_truncated'(X, Y, Z, _) :- '$fd_ends'(X, XL, XH), '$fd_ends'(Y, YL, YH), M is max(abs(XL), abs(XH)), N is -M, '$fd_between'(Z, N, M),
    ( XL >= 0, YL > 0 -> ( integer(XL), integer(YH) -> L is XL//YH ; L = 0 ), ( integer(XH) -> H is XH//YL ; H is inf ), '$fd_between'(Z, L, H),
      '$fd_ends'(Z, ZL, ZH), DL is ZL*YL, '$fd_above'(X, DL), ( integer(ZH), integer(YH) -> DH is (ZH+1)*YH-1, '$fd_below'(X, DH) ; true )
    ; true ).
'$fd_quotients'(F, XL, XH, Y, A, B) :- '$fd_quotient'(F, XL, Y, P), '$fd_quotient'(F, XH, Y, Q), A is min(P, Q), B is max(P, Q).
'$fd_quotient'(F, X, Y, Z) :- ( \+ integer(X) -> ( Y > 0 -> Z = X ; Z is -X ) ; F == (//) -> Z is X//Y ; Z is X div Y ).
'$fd_dividends'(ZL, ZH, Y, L, H) :-
    ( \+ integer(ZL) -> L = ZL ; ZL > 0 -> L is ZL*Y ; L is (ZL-1)*Y+1 ),
    ( \+ integer(ZH) -> H = ZH ; ZH < 0 -> H is ZH*Y ; H is (ZH+1)*Y-1 ).

'$fd_power'(X, N, Z, P) :- integer(N), !, N >= 0,
    ( N =:= 0 -> '$fd_done'(P), '$fd_narrow'(Z, [1-1])
    ; N =:= 1 -> '$fd_done'(P), Z = X
    ; integer(Z) -> '$fd_done'(P), M is abs(Z), '$fd_root'(M, N, R), M =:= R^N,
      ( N mod 2 =:= 1 -> V is sign(Z)*R, '$fd_narrow'(X, [V-V]) ; Z >= 0, ( R =:= 0 -> X = 0 ; S is -R, '$fd_narrow'(X, [S-S, R-R]) ) )
    ; '$fd_ends'(X, XL, XH), '$fd_powers'(N, XL, XH, L, H), '$fd_between'(Z, L, H), '$fd_ends'(Z, ZL, ZH), '$fd_rooted'(N, ZL, ZH, X) ).
'$fd_power'(X, Y, Z, P) :- integer(X), X > 1, !, '$fd_ends'(Y, YL, YH), '$fd_ends'(Z, ZL, ZH),
    ( integer(Z), Z > 0 -> '$fd_done'(P), '$fd_log'(Z, X, 0, N), Z =:= X^N, '$fd_narrow'(Y, [N-N])
    ; '$fd_above'(Y, 0), A is max(0, YL), L is X^A, ( integer(YH), YH < 4096 -> H is X^YH ; H is inf ), '$fd_between'(Z, L, H),
      ( integer(ZH), ZH > 0 -> '$fd_log'(ZH, X, 0, M), '$fd_below'(Y, M) ; true ),
      ( integer(ZL), ZL > 1 -> ZL1 is ZL-1, '$fd_log'(ZL1, X, 0, M0), M1 is M0+1, '$fd_above'(Y, M1) ; true ) ).
'$fd_power'(_, _, _, _).
'$fd_powers'(N, A, B, L, H) :-
    ( N mod 2 =:= 1 -> '$fd_raised'(A, N, L), '$fd_raised'(B, N, H)
    ; A >= 0 -> '$fd_raised'(A, N, L), '$fd_raised'(B, N, H)
    ; B =< 0 -> '$fd_raised'(B, N, L), '$fd_raised'(A, N, H)
    ; L = 0, '$fd_raised'(A, N, H1), '$fd_raised'(B, N, H2), H is max(H1, H2) ).
'$fd_raised'(A, N, B) :- ( integer(A) -> B is A^N ; N mod 2 =:= 1 -> B = A ; B is inf ).
'$fd_rooted'(N, L, H, X) :- N mod 2 =:= 1, !,
    ( integer(H) -> M is abs(H), '$fd_root'(M, N, R), ( H >= 0 -> '$fd_below'(X, R) ; R^N =:= M -> B is -R, '$fd_below'(X, B) ; B is -R-1, '$fd_below'(X, B) ) ; true ),
    ( integer(L), L > 0 -> '$fd_root'(L, N, S), ( S^N =:= L -> A = S ; A is S+1 ), '$fd_above'(X, A) ; true ).
'$fd_rooted'(N, L, H, X) :-
    ( integer(H) -> '$fd_root'(H, N, R), S is -R, '$fd_between'(X, S, R) ; true ),
    ( integer(L), L > 0 -> '$fd_root'(L, N, T), ( T^N =:= L -> A = T ; A is T+1 ), B is A-1, C is -B, '$fd_outside'([C-B], D), '$fd_narrow'(X, D) ; true ).
% The greatest number of which the power is not greater, by halving.
'$fd_root'(M, N, R) :- High is 1 << (msb(M+1)//N+1), '$fd_root'(0, High, M, N, R).
'$fd_root'(A, B, M, N, R) :- ( B - A =< 1 -> R = A ; C is (A+B)//2, ( C^N =< M -> '$fd_root'(C, B, M, N, R) ; '$fd_root'(A, C, M, N, R) ) ).
'$fd_log'(M, B, N0, N) :- ( M < B -> N = N0 ; M1 is M//B, N1 is N0+1, '$fd_log'(M1, B, N1, N) ).
