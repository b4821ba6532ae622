% Tables (`:- table`): a call that is a variant of a complete one has its answers. The outermost call that is not
% complete is the leader: it evaluates itself and the calls that it needs, once a round, until no answer is new.

'$tabled'(G, Body, Modes) :-
    '$dynamic'('$table_state', 2), '$dynamic'('$table_answer', 3),
    '$table_call'(Modes, G, Body, Call, Code), '$table_text'(Call, A),
    ( '$table_state'(A, S) -> ( S == complete -> true ; '$table_visit'(A, Call, Code, Modes) )
    ; nb_current('$table_leader', true) -> '$table_new'(A), '$table_visit'(A, Call, Code, Modes)
    ; '$table_lead'(A, Call, Code, Modes) ),
    findall(Call, '$table_answer'(A, _, Call), L), '$element'(G, L).
abolish_all_tables :-
    '$dynamic'('$table_state', 2), '$dynamic'('$table_answer', 3),
    retractall('$table_state'(_, _)), retractall('$table_answer'(_, _, _)).

% Arguments with a mode are results: they are not a part of the call.
'$table_call'([], G, Body, G, Body) :- !.
'$table_call'(Modes, G, Body, Call, Code) :-
    G =.. [F|As], '$table_free'(Modes, As, Bs), Call =.. [F|Bs], Body =.. [C|_], Code =.. [C|Bs].
'$table_free'([], [], []).
'$table_free'([M|Ms], [A|As], [B|Bs]) :- ( M == index -> B = A ; true ), '$table_free'(Ms, As, Bs).
'$table_text'(T, A) :- '$variant_key'(T, K), format(atom(A), '~k', [K]).

'$table_new'(A) :- nb_getval('$table_round', R0), R is R0-1, assertz('$table_state'(A, R)).
'$table_lead'(A, G, Body, Modes) :-
    nb_setval('$table_leader', true), nb_setval('$table_round', 0), '$table_new'(A),
    catch('$table_rounds'(A, G, Body, Modes), E, true),
    nb_setval('$table_leader', false),
    findall(B, ( '$table_state'(B, S), integer(S) ), L), '$table_forget'(L),
    ( nonvar(E) -> throw(E) ; '$table_complete'(L) ).
'$table_rounds'(A, G, Body, Modes) :-
    repeat,
    nb_getval('$table_round', R0), R is R0+1, nb_setval('$table_round', R), nb_setval('$table_changed', false),
    '$table_visit'(A, G, Body, Modes),
    nb_getval('$table_changed', false), !.
'$table_forget'([]).
'$table_forget'([A|As]) :- retractall('$table_state'(A, _)), '$table_forget'(As).
'$table_complete'([]).
'$table_complete'([A|As]) :- assertz('$table_state'(A, complete)), '$table_complete'(As).
'$table_visit'(A, G, Body, Modes) :-
    nb_getval('$table_round', R), '$table_state'(A, R0), !,
    ( R0 =:= R -> true
    ; retractall('$table_state'(A, _)), assertz('$table_state'(A, R)),
      ( call(Body), '$table_add'(Modes, A, G), fail ; true ) ).
'$table_add'([], A, G) :- !, '$table_text'(G, K), ( '$table_answer'(A, K, _) -> true ; '$table_store'(A, K, G) ).
'$table_add'(Modes, A, G) :-
    G =.. [F|As], '$table_indexed'(Modes, As, Is), '$table_text'(Is, K),
    ( '$table_answer'(A, K, Old) ->
        Old =.. [_|Os], '$table_join'(Modes, Os, As, Ns),
        ( Ns == Os -> true ; New =.. [F|Ns], retractall('$table_answer'(A, K, _)), '$table_store'(A, K, New) )
    ; '$table_store'(A, K, G) ).
'$table_store'(A, K, G) :- assertz('$table_answer'(A, K, G)), nb_setval('$table_changed', true).
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
