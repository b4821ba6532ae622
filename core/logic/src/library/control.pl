% Control and meta-predicates.

once(G) :- call(G), !.
'$'(G) :- ( '$choices'(C), call(G), '$no_choices'(C, G, goal) -> true ; '$no_solution'(G, goal) ).
ignore(G) :- call(G), !.
ignore(_).
not(G) :- \+ call(G).
apply(G, Extra) :- G =.. L0, '$append'(L0, Extra, L1), G2 =.. L1, call(G2).

'$append'([], L, L).
'$append'([H|T], L, [H|R]) :- '$append'(T, L, R).

forall(C, A) :- \+ (call(C), \+ call(A)).

call_cleanup(G, C) :- setup_call_catcher_cleanup(true, G, _, C).
setup_call_cleanup(S, G, C) :- setup_call_catcher_cleanup(S, G, _, C).
setup_call_catcher_cleanup(S, G, Catcher, C) :- once(S), '$must_be_goal'(C, setup_call_catcher_cleanup/4), '$call_cleanup'(G, Catcher, C).
call_cleanup(G, Catcher, C) :- setup_call_catcher_cleanup(true, G, Catcher, C).
'$must_be_goal'(G, P) :- ( var(G) -> E = instantiation_error ; callable(G) -> true ; E = type_error(callable, G) ),
    ( var(E) -> true ; throw(error(E, context(system:P, _))) ).
% That the cleanup fails does not matter. After a cut all are done, then the first error is thrown.
'$clean_up'(Why, Catcher, C) :- Catcher = Why, call(C), !.
'$clean_up'(_, _, _).
'$clean_up_all'([]).
'$clean_up_all'([Catcher-C|T]) :- catch('$clean_up'(!, Catcher, C), E, true),
    ( var(E) -> '$clean_up_all'(T) ; catch('$clean_up_all'(T), _, true), '$rethrow'(E) ).
'$clean_up_thrown'(Why, Catcher, C, Ball, Env) :- catch('$clean_up'(Why, Catcher, C), _, true), '$rethrow'(Ball, Env).

between(L, H, X) :- integer(X), !, integer(L), '$in_range'(L, H, X).
between(_, _, X) :- nonvar(X), !, '$must_be_integer'(X, between/3).
between(L, H, X) :-
    '$must_be_integer'(L, between/3),
    ( H == inf -> true ; H == infinite -> true ; '$must_be_integer'(H, between/3) ),
    '$between'(L, H, X).
'$in_range'(L, H, X) :- X >= L, ( H == inf -> true ; H == infinite -> true ; X =< H ).
'$between'(L, H, X) :- integer(H), !, L =< H, '$between_to'(L, H, X).
'$between'(L, _, X) :- '$from'(L, X).
'$between_to'(L, H, X) :- ( L < H -> ( X = L ; L1 is L+1, '$between_to'(L1, H, X) ) ; X = L ).
'$from'(L, L).
'$from'(L, X) :- L1 is L+1, '$from'(L1, X).
'$must_be_integer'(X, P) :- ( integer(X) -> true ; var(X) -> E = instantiation_error ; E = type_error(integer, X) ), ( var(E) -> true ; throw(error(E, context(system:P, _))) ).
'$must_be_integer'(X) :- integer(X), !.
'$must_be_integer'(X) :- var(X), !, throw(error(instantiation_error, _)).
'$must_be_integer'(X) :- throw(error(type_error(integer, X), _)).

repeat.
repeat :- repeat.

arg(N, T, A) :- integer(N), !, '$arg'(N, T, A).
arg(N, _, _) :- nonvar(N), !, throw(error(type_error(integer, N), context(system:arg/3, _))).
arg(N, T, A) :- functor(T, _, Arity), '$between'(1, Arity, N), '$arg'(N, T, A).

length(L, N) :- '$skip'(L, T, M), '$length_of'(T, L, M, N).
'$length_of'(T, _, M, N) :- T == [], !, N = M.
'$length_of'(T, _, M, N) :- var(T), !, '$partial_length'(T, M, N).
'$length_of'(_, L, _, _) :- throw(error(type_error(list, L), context(length/2, _))).
'$partial_length'(T, M, N) :- integer(N), !,
    ( N < 0 -> throw(error(domain_error(not_less_than_zero, N), context(length/2, _))) ; true ), K is N-M, K >= 0, '$length'(T, K).
'$partial_length'(T, M, N) :- var(N), !, N \== T, '$from'(0, K), '$length'(T, K), N is M+K.
'$partial_length'(_, _, N) :- throw(error(type_error(integer, N), context(length/2, _))).

copy_term(T, C) :- '$copy_term'(T, C, As), '$copy_attributes'(As).
'$copy_attributes'([]).
'$copy_attributes'([V-A|T]) :- '$put_all'(A, V), '$copy_attributes'(T).
'$put_all'([], _).
'$put_all'(att(M, Value, Rest), V) :- ( M == '$chr' -> true ; put_attr(V, M, Value) ), '$put_all'(Rest, V).
% Variables that are not among those of the first argument are shared with the copy.
copy_term(Vs0, T0, Vs, T) :- term_variables(Vs0, As), term_variables(T0, Bs), '$not_among'(Bs, As, Ks), copy_term(f(Vs0, T0, Ks), f(Vs, T, Ks)).
'$not_among'([], _, []).
'$not_among'([V|Vs], As, Ks) :- ( '$has_same'(As, V) -> Ks = Ks1 ; Ks = [V|Ks1] ), '$not_among'(Vs, As, Ks1).
'$has_same'([A|As], V) :- ( A == V -> true ; '$has_same'(As, V) ).
copy_term_nat(Vs0, T0, Vs, T) :- term_variables(Vs0, As), term_variables(T0, Bs), '$not_among'(Bs, As, Ks), copy_term_nat(f(Vs0, T0, Ks), f(Vs, T, Ks)).
copy_term(T, C, Gs) :- '$residual'(T, Gs0), copy_term_nat(T-Gs0, C-Gs).

clause(H, B) :- '$clauses'(H, L), '$element'(clause(H, B, _), L).
clause(H, B, R) :- nonvar(R), !, '$clause_number'(R, Id), '$clause_at'(Id, H, B).
clause(H, B, '<clause>'(Id)) :- '$clauses'(H, L), '$element'(clause(H, B, Id), L).
'$clause_number'(R, Id) :- R = '<clause>'(Id), integer(Id), !.
'$clause_number'(R, _) :- throw(error(type_error(db_reference, R), _)).
retract(C) :- '$retract_only'(C, How), ( How == done -> true ; '$retract_any'(C) ).
'$retract_any'(C) :- '$split_clause'(C, H, B), '$first_clauses'(H, L, More), '$retract'(L, H, B, L, More).
'$retract'([clause(H0, B0, Id)|T], H, B, First, More) :-
    ( T == [], More == none -> H = H0, B = B0, '$erase_once'(Id)
    ; '$retract_one'(H0, B0, Id, T, H, B, First, More) ).
'$retract'([], H, B, First, More) :- More \== none, '$other_clauses'(H, First, More, L), '$retract'(L, H, B, [], none).
'$retract_one'(H, B, Id, _, H, B, _, _) :- '$erase_once'(Id).
% A clause that was there when the call began counts, also where another goal has retracted it since.
'$erase_once'(Id) :- ( '$erase'(Id) -> true ; true ).
'$retract_one'(_, _, _, T, H, B, First, More) :- '$retract'(T, H, B, First, More).
'$split_clause'(C, _, _) :- var(C), !, throw(error(instantiation_error, _)).
'$split_clause'(_:C, H, B) :- !, '$split_clause'(C, H, B).
'$split_clause'((H :- B), H, B) :- !.
'$split_clause'(H, H, true).
'$element'(X, [Y|T]) :- '$element_'(T, X, Y).
'$element_'([], X, X).
'$element_'([_|_], X, X).
'$element_'([Y|T], X, _) :- '$element_'(T, X, Y).

dynamic(S) :- '$each_indicator'(S).
discontiguous(_).
multifile(_).
'$each_indicator'(S) :- var(S), !, throw(error(instantiation_error, _)).
'$each_indicator'([]) :- !.
'$each_indicator'([A|B]) :- !, '$each_indicator'(A), '$each_indicator'(B).
'$each_indicator'((A, B)) :- !, '$each_indicator'(A), '$each_indicator'(B).
'$each_indicator'(_:S) :- !, '$each_indicator'(S).
'$each_indicator'(N/A) :- !, '$dynamic'(N, A).
'$each_indicator'(S) :- throw(error(type_error(predicate_indicator, S), _)).

op(P, T, Ns) :- '$op_names'(Ns, P, T).
'$op_names'(N, _, _) :- var(N), !, throw(error(instantiation_error, _)).
'$op_names'([], _, _) :- !.
'$op_names'([N|Ns], P, T) :- !, '$op_names'(N, P, T), '$op_names'(Ns, P, T).
'$op_names'(_:N, P, T) :- !, '$op_names'(N, P, T).
'$op_names'(N, P, T) :- ( '$op_kept'(N, A) -> throw(error(permission_error(A, operator, N), context(system:op/3, _))) ; true ), '$op'(P, T, N).
'$op_kept'(',', modify).
'$op_kept'([], create).
'$op_asked'(P, T, N) :-
    ( var(P) -> true ; must_be(integer, P), ( P >= 0, P =< 1200 -> true ; domain_error(operator_priority, P) ) ), ( var(N) -> true ; must_be(atom, N) ),
    ( var(T) -> true ; must_be(atom, T), ( memberchk(T, [xfx, xfy, yfx, fy, fx, xf, yf]) -> true ; domain_error(operator_specifier, T) ) ).
current_op(P, T, N) :- '$op_asked'(P, T, N), '$operators'(L), '$element'(op(P, T, N), L).

current_prolog_flag(F, V) :- atom(F), !, '$flag_value'(F, V0), V = V0.
current_prolog_flag(F, _) :- nonvar(F), !, throw(error(type_error(atom, F), context(system:current_prolog_flag/2, _))).
current_prolog_flag(F, V) :- '$element'(F, [bounded, max_integer, min_integer, double_quotes]), '$flag_value'(F, V).

predicate_property(H, P) :- nonvar(H), '$strip'(H, G), functor(G, N, A), '$defined'(N, A), '$property'(P, N, A).
'$strip'(_:H, G) :- !, '$strip'(H, G).
'$strip'(H, H).
'$property'(defined, _, _).
'$property'(visible, _, _).
'$property'(dynamic, N, A) :- '$is_dynamic'(N, A).
'$property'(built_in, N, A) :- '$is_builtin'(N, A).
'$property'(static, N, A) :- \+ '$is_dynamic'(N, A).
'$property'(number_of_clauses(C), N, A) :- functor(H, N, A), '$clauses'(H, L), '$length'(L, C).
current_predicate(N/A) :- atom(N), integer(A), !, '$own'(N, A).
current_predicate(N/A) :- '$predicates'(L), '$element'(N/A, L).
'$own'(N, A) :- '$defined'(N, A), \+ '$is_builtin'(N, A).

nb_current(K, V) :- var(K), !, '$global_names'(Ks), '$element'(K, Ks), nb_getval(K, V).
nb_current(K, V) :- atom(K), catch(nb_getval(K, V), _, fail).

statistics(K, V) :- '$statistics'(K, V).
statistics.
garbage_collect.
prompt(Old, New) :- ( nb_current('$prompt', P) -> true ; P = '|: ' ), Old = P, nb_setval('$prompt', New).
style_check(_).
use_module(_).
use_module(_, _).
ensure_loaded(_).
set_stream(_, _).
garbage_collect_atoms.
nodebug.
notrace.
debug.
license(_).

call_with_depth_limit(G, _, 1) :- call(G).
call_with_time_limit(T, G) :- '$time_limit'(T, G, time_limit_exceeded).
call_with_time_limit(T, G, Context) :- '$time_limit'(T, G, time_limit_exceeded(Context)).
'$time_limit'(T, G, Ball) :- T > 0, !, S is T,
    setup_call_cleanup('$alarm'(S, throw(Ball), Id, true), '$with_alarm'(Id, G), remove_alarm(Id)).
'$time_limit'(_, _, Ball) :- throw(Ball).
'$with_alarm'(Id, G) :- install_alarm(Id), call(G), !.
alarm(T, G, Id) :- alarm(T, G, Id, []).
alarm(T, G, Id, Os) :- '$must_be_goal'(G, alarm/4), ( memberchk(remove(true), Os) -> R = true ; R = false ),
    '$alarm'(T, call(G), Id, R), ( memberchk(install(false), Os) -> true ; install_alarm(Id) ).
alarm_at(At, G, Id) :- alarm_at(At, G, Id, []).
alarm_at(At, G, Id, Os) :- get_time(Now), T is At-Now, alarm(T, G, Id, Os).
% The limit inside of another one is at most that one. Steps outside of the goal are none of its own.
call_with_inference_limit(G, Most, R) :-
    '$inference_limit'(Most, Outer, Limit), S = limit(Limit),
    (   '$choices'(Before), catch(G, E, '$limit_caught'(E, Outer, R0)), '$choices'(After),
        (   R0 == inference_limit_exceeded -> !
        ;   Before == After -> !, R0 = (!), '$set_inference_limit'(Outer)
        ;   R0 = true, '$leave_limit'(Outer, S) ),
        R = R0
    ;   '$set_inference_limit'(Outer), fail ).
'$limit_caught'(E, Outer, R) :-
    (   E == inference_limit_exceeded -> R = E, '$steps'(N), L is N+8, ( Outer >= 0, Outer < L -> '$set_inference_limit'(L) ; '$set_inference_limit'(Outer) )
    ;   '$set_inference_limit'(Outer), '$rethrow'(E) ).
'$leave_limit'(Outer, S) :- arg(1, S, Limit), '$steps'(N), '$set_inference_limit'(Outer),
    (   true
    ;   Limit >= 0, '$steps'(M), L is M+Limit-N, ( Outer >= 0, Outer < L -> L1 = Outer ; L1 = L ), nb_setarg(1, S, L1), '$set_inference_limit'(L1), fail ).
limit(N, G) :- N > 0, S = count(0), call(G), arg(1, S, C0), C is C0+1,
    ( C =:= N -> ! ; nb_setarg(1, S, C) ).


phrase(G, L) :- phrase(G, L, []).
call_dcg(G, L, R) :- phrase(G, L, R).
phrase(G, _, _) :- var(G), !, throw(error(instantiation_error, _)).
phrase(G, _, _) :- \+ callable(G), \+ string(G), !, throw(error(type_error(callable, G), _)).
phrase(_, L, R) :- '$element'(X, [L, R]), '$skip'(X, T, _), nonvar(T), T \== [], !, throw(error(type_error(list, X), _)).
phrase(G, L, R) :- '$dcg_body'(G, S0, S, B), S0 = L, S = R, call(B).
dcg_translate_rule((H0, PB --> B0), (H :- B)) :- nonvar(H0), !,
    '$dcg_extend'(H0, S0, S, H), '$dcg_body'(B0, S0, S1, B1), '$dcg_terminals'(PB, S, S1, B2), B = (B1, B2).
dcg_translate_rule((H0 --> B0), (H :- B)) :- '$dcg_extend'(H0, S0, S, H), '$dcg_body'(B0, S0, S, B).
'$dcg_extend'(H, S0, S, G) :- H =.. L0, '$append'(L0, [S0, S], L), G =.. L.
'$dcg_body'(V, S0, S, phrase(V, S0, S)) :- var(V), !.
'$dcg_body'((A, B), S0, S, (A1, B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'((A ; B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A | B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A -> B), S0, S, (A1 -> B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'(\+ A, S0, S, (\+ A1, S0 = S)) :- !, '$dcg_body'(A, S0, _, A1).
'$dcg_body'(!, S0, S, (!, S0 = S)) :- !.
'$dcg_body'([], S0, S, S0 = S) :- !.
'$dcg_body'({G}, S0, S, (G, S0 = S)) :- !.
'$dcg_body'(L, S0, S, G) :- L = [_|_], !, '$dcg_terminals'(L, S0, S, G).
'$dcg_body'(L, S0, S, G) :- string(L), !, string_codes(L, Cs), '$dcg_terminals'(Cs, S0, S, G).
'$dcg_body'(call(G0), S0, S, call(G0, S0, S)) :- !.
'$dcg_body'(call(G0, A), S0, S, call(G0, A, S0, S)) :- !.
'$dcg_body'(_:G, S0, S, B) :- !, '$dcg_body'(G, S0, S, B).
'$dcg_body'(G0, S0, S, G) :- '$dcg_extend'(G0, S0, S, G).
'$dcg_terminals'(L, S0, S, S0 = L1) :- '$append'(L, S, L1).

% Text.
atom_concat(A, B, C) :- nonvar(A), nonvar(B), !, '$atom_concat'(A, B, C).
atom_concat(A, B, C) :- \+ atomic(C), !, '$no_concatenation'(A, B, C, atom_concat).
atom_concat(A, B, C) :- ( nonvar(A) -> true ; nonvar(B) ), !, '$text_without'(C, A, B, atom).
atom_concat(A, B, C) :- '$concatenations'(C, L), '$element'(A-B, L).
'$no_concatenation'(A, B, C, P) :- ( '$element'(T, [A, B, C]), compound(T) -> E = type_error(atomic, T) ; E = instantiation_error ),
    throw(error(E, context(system:P/3, _))).
string_concat(A, B, C) :- nonvar(A), nonvar(B), !, '$string_concat'(A, B, C).
string_concat(A, B, C) :- \+ atomic(C), !, '$no_concatenation'(A, B, C, string_concat).
string_concat(A, B, C) :- ( nonvar(A) -> true ; nonvar(B) ), !, '$text_without'(C, A, B, string).
string_concat(A, B, C) :- '$concatenations'(C, L), '$element'(A0-B0, L),
    '$text_to_string'(A0, A1), '$text_to_string'(B0, B1), '$same_text'(A, A1), '$same_text'(B, B1).
'$same_text'(V, T) :- var(V), !, V = T.
'$same_text'(V, T) :- '$text_to_string'(V, T).
sub_atom(A, B, L, E, S) :- '$only_part'(A, B, L, E, S, atom, How), !, How == done.
sub_atom(A, B, L, E, S) :- '$must_be_text'(A, S, [B, L, E], sub_atom, atom), '$sub'(A, B, L, E, S, atom).
sub_string(A, B, L, E, S) :- '$only_part'(A, B, L, E, S, string, How), !, How == done.
sub_string(A, B, L, E, S) :- '$must_be_text'(A, S, [B, L, E], sub_string, string), '$sub'(A, B, L, E, S, string).
'$must_be_text'(A, S, Places, P, T) :-
    ( var(A) -> E = instantiation_error ; compound(A) -> E = type_error(T, A) ; compound(S) -> E = type_error(T, S)
    ; '$element'(X, Places), nonvar(X), \+ integer(X) -> E = type_error(integer, X) ; true ),
    ( var(E) -> true ; throw(error(E, context(system:P/5, _))) ).
'$sub'(A, B, L, E, S, _) :- nonvar(S), !, '$sub_text'(A, S, Ps), '$element'(sub(B, L, E), Ps).
'$sub'(A, B, L, E, S, K) :- atom_length(A, N), '$sub_range'(N, B, L, E), '$slice'(A, B, L, T),
    ( K == atom -> atom_string(S0, T), S = S0 ; S = T ).
'$sub_range'(_, B, L, E) :- '$element'(X, [B, L, E]), integer(X), X < 0, !, throw(error(domain_error(not_less_than_zero, X), _)).
'$sub_range'(N, B, L, E) :- integer(B), integer(L), !, E is N-B-L, E >= 0.
'$sub_range'(N, B, L, E) :- integer(B), integer(E), !, L is N-B-E, L >= 0.
'$sub_range'(N, B, L, E) :- integer(L), integer(E), !, B is N-L-E, B >= 0.
'$sub_range'(N, B, L, E) :- integer(B), !, M is N-B, M >= 0, '$between'(0, M, L), E is M-L.
'$sub_range'(N, B, L, E) :- integer(L), !, M is N-L, M >= 0, '$between'(0, M, B), E is M-B.
'$sub_range'(N, B, L, E) :- integer(E), !, M is N-E, M >= 0, '$between'(0, M, B), L is M-B.
'$sub_range'(N, B, L, E) :- '$between'(0, N, B), M is N-B, '$between'(0, M, L), E is M-L.
text_concat(A, B, C) :- ( string(A) ; string(B) ), !, string_concat(A, B, C).
text_concat(A, B, C) :- atom_concat(A, B, C).
text_to_string(T, S) :- ( T == [] -> S = "" ; '$text_to_string'(T, S) ).
string(S, T) :- text_to_string(S, T).
term_string(S, T, _) :- term_string(S, T).
atom_to_term(A, _, _) :- var(A), !, throw(error(instantiation_error, context(system:atom_to_term/3, _))).
atom_to_term(A, T, Bs) :- '$term_from_text'(A, T, Bs).
atomics_to_string(L, S) :- atomic_list_concat(L, A), atom_string(A, S).
sformat(S, F, A) :- format(string(S), F, A).
read_term_from_atom(A, T) :- read_term_from_atom(A, T, []).
char_type(C, T) :- nonvar(C), !, '$char_types'(T, C).
char_type(C, T) :- '$between'(0, 255, N), char_code(C, N), '$char_types'(T, C).
code_type(C, T) :- nonvar(C), !, '$char_types'(T, C).
code_type(C, T) :- '$between'(0, 255, C), '$char_types'(T, C).
'$char_types'(T, C) :- var(T), !,
    '$element'(T, [alnum, alpha, csym, csymf, digit(_), graph, lower, lower(_), punct, space, upper, upper(_), white]), '$char_type'(C, T).
'$char_types'(T, C) :- '$char_type'(C, T).
string_code(I, _, _) :- integer(I), I < 0, !, throw(error(domain_error(not_less_than_zero, I), context(system:string_code/3, _))).
string_code(I, S, C) :- nonvar(I), !, '$string_code'(I, S, C).
string_code(I, S, C) :- string_codes(S, Cs), nth1(I, Cs, C).
normalize_space(Out, T) :- normalize_space_text(T, S), '$give'(Out, S).
concat_atom(L, A) :- atomic_list_concat(L, A).
concat_atom(L, S, A) :- atomic_list_concat(L, S, A).
concat(A, B, C) :- atomic_list_concat([A, B], C).
writef(F) :- writef(F, []).
writef(F, As) :- atom_codes(F, Cs), '$writef'(Cs, As).
'$writef'([], _).
'$writef'([0'%, D|T], [A|As]) :- ( D =:= 0'w ; D =:= 0'd ), !, write(A), '$writef'(T, As).
'$writef'([0'\\, D|T], As) :- ( D =:= 0'n ; D =:= 0'l ), !, nl, '$writef'(T, As).
'$writef'([C|T], As) :- char_code(Ch, C), put_char(Ch), '$writef'(T, As).

'$sink'(Sink) :- var(Sink), !, throw(error(instantiation_error, _)).
'$sink'(Sink) :- compound(Sink), !, '$text_sink'(Sink, with_output_to/2).
'$sink'(Sink) :- atom(Sink), !, throw(error(existence_error(stream, Sink), context(system:with_output_to/2, _))).
'$sink'(Sink) :- throw(error(type_error(output, Sink), context(system:with_output_to/2, _))).
'$text_sink'(Sink, P) :- ( memberchk(Sink, [atom(_), string(_), codes(_), codes(_, _), chars(_), chars(_, _)]) -> true ; throw(error(type_error(output, Sink), context(system:P, _))) ).
with_output_to(Sink, G) :-
    '$sink'(Sink), '$keep_output',
    ( catch(once(G), E, true) -> Ok = true ; Ok = false ),
    '$kept_output'(S),
    ( nonvar(E) -> throw(E) ; Ok == true ), '$give'(Sink, S).
% What takes a text in the place of a stream.
'$takes_text'(Sink) :- compound(Sink), Sink \= '$stream'(_).
format(Sink, F, A) :- '$takes_text'(Sink), !, '$text_sink'(Sink, format/3), '$keep_output',
    catch(format(F, A), E, true), '$kept_output'(S), ( nonvar(E) -> throw(E) ; true ), '$give'(Sink, S).
format(Stream, F, A) :- '$format'(Stream, F, A).
'$give'(atom(A), S) :- atom_string(A, S).
'$give'(string(T), S) :- T = S.
'$give'(codes(C), S) :- string_codes(S, C).
'$give'(codes(C, T), S) :- string_codes(S, C0), '$append'(C0, T, C).
'$give'(chars(C), S) :- string_chars(S, C).
'$give'(chars(C, T), S) :- string_chars(S, C0), '$append'(C0, T, C).
ansi_format(_, F, A) :- format(F, A).
% Messages go to the error stream, unless a hook of the program takes them; those that inform are not shown.
print_message(Kind, Term) :- '$message_text'(Term, Lines), ( current_predicate(message_hook/3), catch(call(message_hook, Term, Kind, Lines), _, fail) -> true ; '$message_shown'(Kind) -> print_message_lines(user_error, kind(Kind), Lines) ; true ).
'$message_shown'(error).
'$message_shown'(warning).
'$message_shown'(help).
'$message_shown'(information).
'$message_text'(T, Ls) :- nonvar(T), T = format(F, As), !, Ls = [F-As].
'$message_text'(T, Ls) :- current_predicate(message/3), call(message, T, Ls, []), !.
'$message_text'(T, Ls) :- current_predicate('prolog:message'/3), call('prolog:message', T, Ls, []), !.
'$message_text'(T, ['~w'-[S]]) :- nonvar(T), T = error(_, _), !, '$error_text'(T, S).
'$message_text'(T, ['Unknown message: ~p'-[T]]).
print_message_lines(S, Prefix, Lines) :- ( Prefix = kind(K) -> '$kind_prefix'(K, P) ; P = Prefix ), '$message_lines'(Lines, S, P).
'$kind_prefix'(error, P) :- !, P = '~NERROR: '.
'$kind_prefix'(warning, P) :- !, P = '~NWarning: '.
'$kind_prefix'(_, '~N').
'$message_lines'(Lines, S, P) :-
    '$message_prefix'(P, S), '$message_line'(Lines, S, Rest), nl(S), ( Rest == [] -> true ; '$message_lines'(Rest, S, P) ).
'$message_prefix'(P, S) :- ( P = F-As -> format(S, F, As) ; format(S, P, []) ).
'$message_line'([], _, []).
'$message_line'([nl|Rest], _, Rest) :- !.
'$message_line'([Part|Parts], S, Rest) :- '$message_part'(Part, S), '$message_line'(Parts, S, Rest).
'$message_part'(Part, _) :- var(Part), !.
'$message_part'(F-As, S) :- !, format(S, F, As).
'$message_part'(ansi(_, F, As), S) :- !, format(S, F, As).
'$message_part'(url(L), S) :- !, write(S, L).
'$message_part'(at_same_line, _) :- !.
'$message_part'(flush, S) :- !, flush_output(S).
'$message_part'(begin(_, _), _) :- !.
'$message_part'(end(_), _) :- !.
'$message_part'(F, S) :- format(S, F, []).
message_to_codes(_, _, _).
portray_clause(C) :- copy_term_nat(C, T), '$clause_names'(T, Ns), '$portray'(T, [variable_names(Ns), quoted(true), numbervars(true), spacing(next_argument), portray(true)]).
'$clause_names'(T, Ns) :- term_variables(T, Vs), term_singletons(T, Ss), '$name_all'(Vs, Ss, 0, Ns).
'$name_all'([], _, _, []).
'$name_all'([V|Vs], Ss, N, ['_' = V|Ns]) :- '$identical_in'(Ss, V), !, '$name_all'(Vs, Ss, N, Ns).
'$name_all'([V|Vs], Ss, N, [A = V|Ns]) :- format(atom(A), '~p', ['$VAR'(N)]), M is N+1, '$name_all'(Vs, Ss, M, Ns).
'$portray'((H :- true), O) :- !, write_term(H, O), write('.'), nl.
'$portray'((H :- B), O) :- !, write_term(H, O), write(' :-'), '$indent'(4), '$portray_body'(B, 4, O), write('.'), nl.
'$portray'((:- B), O) :- !, write(':- '), '$portray_body'(B, 4, O), write('.'), nl.
'$portray'((H --> B), O) :- !, write_term(H, O), write(' -->'), '$indent'(4), '$portray_body'(B, 4, O), write('.'), nl.
'$portray'(H, O) :- write_term(H, O), write('.'), nl.
'$indent'(N) :- nl, tab(N).
'$portray_body'(G, _, O) :- var(G), !, write_term(G, O).
'$portray_body'((A, B), I, O) :- !, '$portray_body'(A, I, O), write(','), '$indent'(I), '$portray_body'(B, I, O).
'$portray_body'(G, I, O) :- '$alternatives'(G), !, write('(   '), '$portray_or'(G, I, O), '$indent'(I), write(')').
'$portray_body'({G}, I, O) :- !, write('{ '), J is I+2, '$portray_body'(G, J, O), '$indent'(I), write('}').
'$portray_body'(\+ G, I, O) :- !, write('\\+ '), J is I+3, ( nonvar(G), G = (_, _) -> K is J+2, write('( '), '$portray_body'(G, K, O), '$indent'(J), write(')') ; '$portray_body'(G, J, O) ).
'$portray_body'(G, _, O) :- write_term(G, [priority(999)|O]).
'$alternatives'((_ ; _)).
'$alternatives'((_ -> _)).
'$alternatives'((_ *-> _)).
'$portray_or'(G, I, O) :- nonvar(G), G = (A ; B), !, '$portray_then'(A, I, O), '$indent'(I), write(';   '), '$portray_or'(B, I, O).
'$portray_or'(G, I, O) :- '$portray_then'(G, I, O).
'$portray_then'(G, I, O) :- nonvar(G), G = (A -> B), !, J is I+4, '$portray_body'(A, J, O), '$indent'(I), write('->  '), '$portray_body'(B, J, O).
'$portray_then'(G, I, O) :- nonvar(G), G = (A *-> B), !, J is I+4, '$portray_body'(A, J, O), '$indent'(I), write('*-> '), '$portray_body'(B, J, O).
'$portray_then'(G, I, O) :- J is I+4, '$portray_body'(G, J, O).
listing(S) :- ( S = N/A -> true ; N = S ),
    forall(( current_predicate(N/A), functor(H, N, A) ),
           ( ( '$is_dynamic'(N, A) -> format(':- dynamic ~q/~w.~n~n', [N, A]) ; true ),
             forall(clause(H, B), portray_clause((H :- B))), nl )).

numbervars(_, S, _) :- \+ integer(S), !, '$must_be_integer'(S, numbervars/3).
numbervars(T, S, E) :- term_variables(T, Vs), '$number'(Vs, S, E).
numbervars(T) :- numbervars(T, 0, _).
numbervars(T, S, E, Os) :-
    ( is_list(Os), '$option'(singletons, Os, On), On == true -> term_singletons(T, Ss), '$unnamed'(Ss) ; true ), numbervars(T, S, E).
'$unnamed'([]).
'$unnamed'(['$VAR'('_')|Vs]) :- '$unnamed'(Vs).
'$number'([], E, E).
'$number'([V|Vs], N, E) :- V = '$VAR'(N), M is N+1, '$number'(Vs, M, E).
term_variables(T, Vs, Tail) :- term_variables(T, L), '$append'(L, Tail, Vs).
subsumes_term(G, S) :- \+ \+ ( term_variables(S, V1), G = S, term_variables(V1, V2), V1 == V2 ).
duplicate_term(T, C) :- '$duplicate_term'(T, C, As), '$copy_attributes'(As).
tnot(G) :- \+ G.

random(X) :- X is random_float.
random(L, H, X) :- X is random(L, H).
random_between(L, H, X) :- H >= L, H1 is H+1, X is random(L, H1).
random_member(X, L) :- '$length'(L, N), N > 0, I is random(N), nth0(I, L, X).
random_select(X, L, R) :- random_member(X, L), !, selectchk(X, L, R).
random_permutation(L, P) :- '$random_keys'(L, K), keysort(K, S), '$values'(S, P).
'$random_keys'([], []).
'$random_keys'([X|T], [K-X|R]) :- K is random_float, '$random_keys'(T, R).
'$values'([], []).
'$values'([_-V|T], [V|R]) :- '$values'(T, R).
set_random(seed(S)) :- ( integer(S) -> set_random_seed(S) ; true ).
setrand(_).
shell(_) :- fail.
shell(_, 1).
getenv(K, V) :- '$dynamic'('$environment', 2), atom_string(A, K), '$environment'(A, V0), !, V = V0.
% The environment of the process stays as it is: a program sees what it has set itself.
setenv(K, V) :- unsetenv(K), atom_string(A, K), format(atom(B), '~w', [V]), assertz('$environment'(A, B)).
unsetenv(K) :- '$dynamic'('$environment', 2), atom_string(A, K), retractall('$environment'(A, _)).

must_be(T, X) :- '$must_be'(T, X).
'$must_be'(T, _) :- var(T), !, throw(error(instantiation_error, _)).
'$must_be'(T, X) :- '$checks'(T, X, G), !,
    ( call(G) -> true
    ; var(X) -> throw(error(instantiation_error, _))
    ; T == var -> throw(error(uninstantiation_error(X), _))
    ; T == cyclic -> throw(error(domain_error(cyclic_term, X), _))
    ; '$items'(T, E), '$skip'(X, Rest, _), ( Rest == [] ; var(Rest) ) ->
        ( Rest == [] -> '$element'(Y, X), '$must_be'(E, Y), fail ; throw(error(instantiation_error, _)) )
    ; T = list, '$skip'(X, Rest, _), var(Rest) -> throw(error(instantiation_error, _))
    ; throw(error(type_error(T, X), _)) ).
'$must_be'(T, _) :- throw(error(existence_error(type, T), _)).
'$items'(list(T), T).
'$items'(chars, char).
'$items'(codes, code).
'$items'(list_of(T), T).
'$checks'(integer, X, integer(X)).
'$checks'(rational, X, rational(X)).
'$checks'(symbol, X, atom(X)).
'$checks'(text, X, ( atom(X) ; string(X) )).
'$checks'(char, X, ( atom(X), atom_length(X, 1) )).
'$checks'(code, X, ( integer(X), X >= 0 )).
'$checks'(pair, X, ( nonvar(X), X = _-_ )).
'$checks'(acyclic, X, acyclic_term(X)).
'$checks'(cyclic, X, cyclic_term(X)).
'$checks'(chars, X, is_of_type(list(char), X)).
'$checks'(codes, X, is_of_type(list(code), X)).
'$checks'(encoding, X, memberchk(X, [octet, ascii, iso_latin_1, text, utf8, unicode_be, unicode_le, utf16be, utf16le, wchar_t])).
'$checks'(atom, X, atom(X)).
'$checks'(atomic, X, atomic(X)).
'$checks'(callable, X, callable(X)).
'$checks'(var, X, var(X)).
'$checks'(nonvar, X, nonvar(X)).
'$checks'(number, X, number(X)).
'$checks'(float, X, float(X)).
'$checks'(string, X, string(X)).
'$checks'(compound, X, compound(X)).
'$checks'(boolean, X, ( X == true ; X == false )).
'$checks'(bool, X, ( X == true ; X == false )).
'$checks'(list, X, is_list(X)).
'$checks'(proper_list, X, is_list(X)).
'$checks'(list(T), X, ( is_list(X), forall('$element'(E, X), is_of_type(T, E)) )).
'$checks'(list_of(T), X, ( is_list(X), forall('$element'(E, X), is_of_type(T, E)) )).
'$checks'(nonneg, X, ( integer(X), X >= 0 )).
'$checks'(positive_integer, X, ( integer(X), X >= 1 )).
'$checks'(between(L, H), X, ( number(X), X >= L, X =< H )).
'$checks'(oneof(L), X, ( nonvar(X), memberchk(X, L) )).
'$checks'(ground, X, ground(X)).
'$checks'(any, _, true).
is_of_type(T, _) :- var(T), !, throw(error(instantiation_error, _)).
is_of_type(T, X) :- '$checks'(T, X, G), call(G), !.
type_error(T, V) :- throw(error(type_error(T, V), _)).
domain_error(T, V) :- throw(error(domain_error(T, V), _)).
existence_error(T, V) :- throw(error(existence_error(T, V), _)).
'$no_matching_rule'(G) :- functor(G, N, A), throw(error(existence_error(matching_rule, G), context(N/A, _))).
permission_error(A, T, C) :- throw(error(permission_error(A, T, C), _)).
instantiation_error(_) :- throw(error(instantiation_error, _)).
resource_error(R) :- throw(error(resource_error(R), _)).
assertion(G) :- \+ \+ catch(G, _, fail), !.
assertion(G) :- throw(error(assertion_failed(G), _)).

gensym(Base, A) :- atom_concat('$gensym_', Base, K), ( nb_current(K, N0) -> true ; N0 = 0 ), N is N0+1,
    nb_setval(K, N), atomic_list_concat([Base, N], A).
reset_gensym(Base) :- atom_concat('$gensym_', Base, K), nb_setval(K, 0).
reset_gensym.
flag(K, Old, New) :- atom_concat('$flag_', K, F), ( nb_current(F, Old0) -> true ; Old0 = 0 ), Old = Old0,
    V is New, nb_setval(F, V).
time(G) :- once(G).
