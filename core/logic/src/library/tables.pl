% Tables (`:- table`): a call that is a variant of a complete one has its answers. Another one evaluates its clauses, and
% reads the answers that come meanwhile where it occurs within itself (`tables.rs`).

'$tabled'(G, Body, Modes) :-
    '$table_call'(Modes, G, Body, Call, Code), '$table_call'(Call, T, Turn),
    ( Turn == evaluate -> '$table_evaluate'(T, Call, Code, Modes) ; true ),
    ( '$table_answers'(T, L) -> '$element'(G, L) ; '$table_each'(T, 0, G) ).
'$table_each'(T, I, G) :- '$table_read'(T, I, J, A), ( G = A ; '$table_each'(T, J, G) ).

'$table_evaluate'(T, Call, Code, Modes) :-
    '$table_enter'(T),
    catch('$table_passes'(T, Call, Code, Modes), E, ( '$table_abandon'(T), throw(E) )).
'$table_passes'(T, Call, Code, Modes) :-
    repeat, ( call(Code), '$table_answer'(Modes, T, Call), fail ; '$table_leave'(T) ), !.

% Arguments with a mode are results: they are not a part of the call.
'$table_call'([], G, Body, G, Body) :- !.
'$table_call'(Modes, G, Body, Call, Code) :-
    G =.. [F|As], '$table_free'(Modes, As, Bs), Call =.. [F|Bs], Body =.. [C|_], Code =.. [C|Bs].
'$table_free'([], [], []).
'$table_free'([M|Ms], [A|As], [B|Bs]) :- ( M == index -> B = A ; true ), '$table_free'(Ms, As, Bs).

'$table_answer'([], T, G) :- !, '$table_add'(T, G).
'$table_answer'(Modes, T, G) :-
    G =.. [F|As], '$table_indexed'(Modes, As, Is),
    ( '$table_find'(T, Is, Old) ->
        Old =.. [_|Os], '$table_join'(Modes, Os, As, Ns),
        ( Ns == Os -> true ; New =.. [F|Ns], '$table_put'(T, Is, New) )
    ; '$table_put'(T, Is, G) ).
'$table_indexed'([], [], []).
'$table_indexed'([M|Ms], [A|As], R) :- ( M == index -> R = [A|R1] ; R = R1 ), '$table_indexed'(Ms, As, R1).
% The first mode that decides takes or leaves the other results with it.
'$table_join'(Modes, Os, As, Ns) :-
    ( '$table_decided'(Modes, Os, As, Which) -> true ; Which = none ),
    '$table_joined'(Modes, Os, As, Which, Ns).
'$table_decided'([M|Ms], [O|Os], [A|As], W) :-
    ( memberchk(M, [min, max]) -> ( A =@= O -> '$table_decided'(Ms, Os, As, W) ; '$table_better'(M, A, O) -> W = new ; W = old )
    ; '$table_decided'(Ms, Os, As, W) ).
'$table_better'(min, A, O) :- ( number(A), number(O) -> A < O ; A @< O ).
'$table_better'(max, A, O) :- ( number(A), number(O) -> A > O ; A @> O ).
'$table_joined'([], [], [], _, []).
'$table_joined'([M|Ms], [O|Os], [A|As], W, [N|Ns]) :- '$table_one'(M, O, A, W, N), '$table_joined'(Ms, Os, As, W, Ns).
'$table_one'(index, O, _, _, O).
'$table_one'(min, O, A, W, N) :- ( W == new -> N = A ; N = O ).
'$table_one'(max, O, A, W, N) :- ( W == new -> N = A ; N = O ).
'$table_one'(first, O, A, W, N) :- ( W == new -> N = A ; N = O ).
'$table_one'(-, O, A, W, N) :- ( W == new -> N = A ; N = O ).
'$table_one'(last, _, A, _, A).
'$table_one'(sum, O, A, _, N) :- N is O+A.
'$table_one'(lattice(P), O, A, _, N) :- '$table_goal'(P, G), call(G, O, A, N).
'$table_one'(po(P), O, A, _, N) :- '$table_goal'(P, G), ( call(G, O, A) -> N = A ; N = O ).
'$table_goal'(P, G) :- ( P = G/_ -> true ; compound(P) -> functor(P, G, _) ; G = P ).
