% Higher-order predicates.

maplist(_, []).
maplist(G, [A|As]) :- call(G, A), maplist(G, As).
maplist(G, L1, L2) :- '$maplist'(L1, L2, G).
'$maplist'([], [], _).
'$maplist'([A|As], [B|Bs], G) :- call(G, A, B), '$maplist'(As, Bs, G).
maplist(G, L1, L2, L3) :- '$maplist'(L1, L2, L3, G).
'$maplist'([], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], G) :- call(G, A, B, C), '$maplist'(As, Bs, Cs, G).
maplist(G, L1, L2, L3, L4) :- '$maplist'(L1, L2, L3, L4, G).
'$maplist'([], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], G) :- call(G, A, B, C, D), '$maplist'(As, Bs, Cs, Ds, G).
maplist(G, L1, L2, L3, L4, L5) :- '$maplist'(L1, L2, L3, L4, L5, G).
'$maplist'([], [], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], [E|Es], G) :- call(G, A, B, C, D, E), '$maplist'(As, Bs, Cs, Ds, Es, G).
foldl(G, L, V0, V) :- '$foldl'(L, G, V0, V).
'$foldl'([], _, V, V).
'$foldl'([X|Xs], G, V0, V) :- call(G, X, V0, V1), '$foldl'(Xs, G, V1, V).
foldl(G, L1, L2, V0, V) :- '$foldl'(L1, L2, G, V0, V).
'$foldl'([], [], _, V, V).
'$foldl'([X|Xs], [Y|Ys], G, V0, V) :- call(G, X, Y, V0, V1), '$foldl'(Xs, Ys, G, V1, V).
foldl(G, L1, L2, L3, V0, V) :- '$foldl'(L1, L2, L3, G, V0, V).
'$foldl'([], [], [], _, V, V).
'$foldl'([X|Xs], [Y|Ys], [Z|Zs], G, V0, V) :- call(G, X, Y, Z, V0, V1), '$foldl'(Xs, Ys, Zs, G, V1, V).
include(G, L, R) :- '$include'(L, G, R).
'$include'([], _, []).
'$include'([X|Xs], G, R) :- ( call(G, X) -> R = [X|R1] ; R = R1 ), '$include'(Xs, G, R1).
exclude(G, L, R) :- '$exclude'(L, G, R).
'$exclude'([], _, []).
'$exclude'([X|Xs], G, R) :- ( call(G, X) -> R = R1 ; R = [X|R1] ), '$exclude'(Xs, G, R1).
partition(G, L, I, O) :- '$partition'(L, G, I, O).
'$partition'([], _, [], []).
'$partition'([X|Xs], G, I, O) :-
    ( call(G, X) -> I = [X|I1], O = O1 ; I = I1, O = [X|O1] ), '$partition'(Xs, G, I1, O1).
partition(P, L, Ls, Es, Gs) :- '$partition'(L, P, Ls, Es, Gs).
'$partition'([], _, [], [], []).
'$partition'([X|Xs], P, L, E, G) :- call(P, X, O), '$partition'(O, X, P, Xs, L, E, G).
'$partition'(<, X, P, Xs, [X|L], E, G) :- '$partition'(Xs, P, L, E, G).
'$partition'(=, X, P, Xs, L, [X|E], G) :- '$partition'(Xs, P, L, E, G).
'$partition'(>, X, P, Xs, L, E, [X|G]) :- '$partition'(Xs, P, L, E, G).
convlist(G, L, R) :- '$convlist'(L, G, R).
'$convlist'([], _, []).
'$convlist'([X|Xs], G, R) :- ( call(G, X, Y) -> R = [Y|R1] ; R = R1 ), '$convlist'(Xs, G, R1).
foldr(G, L, V0, V) :- '$foldr'(L, G, V0, V).
'$foldr'([], _, V, V).
'$foldr'([X|Xs], G, V0, V) :- '$foldr'(Xs, G, V0, V1), call(G, X, V1, V).
>>(Ps, B) :- copy_term_nat(Ps-B, _-B1), '$lambda_body'(B1, []).
>>(Ps, B, A1) :- '$lambda'(Ps, B, [A1]).
>>(Ps, B, A1, A2) :- '$lambda'(Ps, B, [A1, A2]).
>>(Ps, B, A1, A2, A3) :- '$lambda'(Ps, B, [A1, A2, A3]).
>>(Ps, B, A1, A2, A3, A4) :- '$lambda'(Ps, B, [A1, A2, A3, A4]).
>>(Ps, B, A1, A2, A3, A4, A5, A6) :- '$lambda'(Ps, B, [A1, A2, A3, A4, A5, A6]).
>>(Ps, B, A1, A2, A3, A4, A5, A6, A7) :- '$lambda'(Ps, B, [A1, A2, A3, A4, A5, A6, A7]).
>>(Ps, B, A1, A2, A3, A4, A5) :- '$lambda'(Ps, B, [A1, A2, A3, A4, A5]).
'$lambda'(Ps0, B0, As) :- '$lambda_copy'(Ps0, B0, Ps, B), '$lambda_bind'(Ps, As, Rest), '$lambda_body'(B, Rest).
'$lambda_copy'(Free/Ps0, B0, Ps, B) :- !, copy_term_nat(Free/Ps0-B0, Free/Ps-B).
'$lambda_copy'(Ps0, B0, Ps, B) :- copy_term_nat(Ps0-B0, Ps-B).
'$lambda_bind'([], As, As) :- !.
'$lambda_bind'([P|Ps], [A|As], R) :- !, P = A, '$lambda_bind'(Ps, As, R).
'$lambda_bind'(_, [], []).
'$lambda_body'(B, []) :- !, call(B).
'$lambda_body'(B, As) :- '$extend'(B, As, G), call(G).
'$extend'(_:B, As, G) :- !, '$extend'(B, As, G).
'$extend'(B, As, G) :- B =.. L0, '$append'(L0, As, L), G =.. L.
% `Free/Goal` copies what is not in Free.
/(Free, L) :- copy_term_nat(Free+L, Free+L1), call(L1).
/(Free, L, A1) :- copy_term_nat(Free+L, Free+L1), call(L1, A1).
/(Free, L, A1, A2) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2).
/(Free, L, A1, A2, A3) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2, A3).
/(Free, L, A1, A2, A3, A4) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2, A3, A4).
/(Free, L, A1, A2, A3, A4, A5) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2, A3, A4, A5).
/(Free, L, A1, A2, A3, A4, A5, A6) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2, A3, A4, A5, A6).
/(Free, L, A1, A2, A3, A4, A5, A6, A7) :- copy_term_nat(Free+L, Free+L1), call(L1, A1, A2, A3, A4, A5, A6, A7).
