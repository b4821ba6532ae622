% Terms: their parts, comparisons up to renaming, recorded terms, mutable sets, characters.

name(X, Cs) :- nonvar(X), !, ( number(X) -> number_codes(X, Cs) ; atom_codes(X, Cs) ).
name(X, Cs) :- catch(number_codes(N, Cs), _, fail), !, X = N.
name(X, Cs) :- atom_codes(X, Cs).
compound_name_arguments(T, N, As) :- compound(T), !, T =.. [N|As].
compound_name_arguments(T, _, _) :- nonvar(T), !, throw(error(type_error(compound, T), context(system:compound_name_arguments/3, _))).
compound_name_arguments(T, N, As) :- As = [_|_], !, T =.. [N|As].
compound_name_arguments(_, _, As) :- '$must_be'(list, As), throw(error(domain_error(compound_non_zero_arity, As), _)).
compound_name_arity(T, N, A) :- compound(T), !, functor(T, N, A).
compound_name_arity(T, _, _) :- nonvar(T), !, throw(error(type_error(compound, T), context(system:compound_name_arity/3, _))).
compound_name_arity(T, N, A) :- '$must_be_integer'(A), A > 0, functor(T, N, A).
same_functor(A, B) :- same_functor(A, B, _, _).
same_functor(A, B, N) :- same_functor(A, B, _, N).
same_functor(A, B, F, N) :- nonvar(A), !, functor(A, F, N), functor(B, F, N).
same_functor(A, B, F, N) :- functor(B, F, N), functor(A, F, N).
same_term(A, B) :- A == B.
is_most_general_term(T) :- is_list(T), !, '$all_var'(T), '$distinct'(T).
is_most_general_term(T) :- callable(T), T \= [_|_], T =.. [_|As], '$all_var'(As), '$distinct'(As).
'$all_var'([]).
'$all_var'([V|Vs]) :- var(V), '$all_var'(Vs).
'$distinct'(Vs) :- term_variables(Vs, Us), '$length'(Vs, N), '$length'(Us, N).
variant(A, B) :- A =@= B.
subsumes(G, S) :- subsumes_term(G, S), G = S.
subsumes_chk(G, S) :- subsumes_term(G, S).
nonground(T, V) :- term_variables(T, [V0|_]), V = V0.
mapargs(G, A, B) :- functor(A, F, N), functor(B, F, N), '$mapargs'(1, N, G, A, B).
'$mapargs'(I, N, _, _, _) :- I > N, !.
'$mapargs'(I, N, G, A, B) :- arg(I, A, X), arg(I, B, Y), call(G, X, Y), J is I+1, '$mapargs'(J, N, G, A, B).
genarg(N, T, A) :- arg(N, T, A).
sub_term(X, X).
sub_term(X, T) :- compound(T), arg(_, T, A), sub_term(X, A).
sub_var(V, T) :- var(V), contains_var(V, T).
contains_term(X, T) :- \+ free_of_term(X, T).
contains_var(X, T) :- \+ free_of_var(X, T).
free_of_term(X, T) :- \+ ( sub_term(S, T), X = S ).
free_of_var(X, T) :- \+ ( sub_term(S, T), X == S ).
occurrences_of_term(X, T, N) :- aggregate_all(count, ( sub_term(S, T), subsumes_term(X, S) ), N).
occurrences_of_var(X, T, N) :- aggregate_all(count, ( sub_term(S, T), X == S ), N).
term_hash(T, H) :- ( ground(T) -> '$term_hash'(T, H) ; true ).
variant_hash(T, H) :- copy_term_nat(T, C), numbervars(C, 0, _), '$term_hash'(C, H).
variant_sha1(T, H) :- variant_hash(T, N), format(atom(H), '~|~`0t~16r~40|', [N]).
varnumbers(T, C) :- varnumbers(T, 0, C).
varnumbers(T, Least, C) :- must_be(acyclic, T), '$varnumbers'(T, Least, [], _, C).
varnumbers_names(T, C, Bs) :- must_be(acyclic, T), '$varnumbers'(T, names, [], Vs, C), keysort(Vs, Us), '$bindings'(Us, Bs).
'$bindings'([], []).
'$bindings'([N-V|Vs], [N = V|Bs]) :- '$bindings'(Vs, Bs).
max_var_number(T, N0, N) :- ( sub_term(V, T), nonvar(V), V = '$VAR'(M), integer(M), M > N0 -> max_var_number(T, M, N) ; N = N0 ).
% `'$varnumbers'(Term, Least, Variables, More, Copy)`: with `names`, atoms stand for variables, too.
'$varnumbers'(T, _, Vs, Vs, T) :- var(T), !.
'$varnumbers'('$VAR'(N), L, Vs0, Vs, V) :- ( integer(N) -> ( L == names -> true ; N >= L ) ; L == names, atom(N) ), !,
    ( memberchk(N-V0, Vs0) -> V = V0, Vs = Vs0 ; Vs = [N-V|Vs0] ).
'$varnumbers'(T, L, Vs0, Vs, C) :- compound(T), !, T =.. [F|As], '$varnumbers_all'(As, L, Vs0, Vs, Bs), C =.. [F|Bs].
'$varnumbers'(T, _, Vs, Vs, T).
'$varnumbers_all'([], _, Vs, Vs, []).
'$varnumbers_all'([A|As], L, Vs0, Vs, [B|Bs]) :- '$varnumbers'(A, L, Vs0, Vs1, B), '$varnumbers_all'(As, L, Vs1, Vs, Bs).
del_attrs(V) :- '$attribute_names'(V, Ms), '$del_all'(Ms, V).
'$attribute_names'(V, Ms) :- ( get_attrs(V, As) -> '$names_of'(As, Ms) ; Ms = [] ).
'$names_of'([], []).
'$names_of'(att(M, _, R), [M|Ms]) :- '$names_of'(R, Ms).
'$del_all'([], _).
'$del_all'([M|Ms], V) :- del_attr(V, M), '$del_all'(Ms, V).
free_variables(T, Vs) :- term_variables(T, Vs).

recorda(K, V) :- recorda(K, V, _).
recorda(K, V, R) :- '$record_key'(K, N), '$record_number'(R), asserta('$recorded'(N, V, R)).
recordz(K, V) :- recordz(K, V, _).
recordz(K, V, R) :- '$record_key'(K, N), '$record_number'(R), assertz('$recorded'(N, V, R)).
recorded(K, V) :- recorded(K, V, _).
recorded(K, V, R) :- '$recorded_now', ( nonvar(K) -> '$record_key'(K, N) ; N = K ), '$recorded'(N, V, R).
erase(R) :- var(R), !, throw(error(instantiation_error, context(system:erase/1, _))).
erase('<clause>'(Id)) :- !, '$erase'(Id).
erase(R) :- '$recorded_now', retract('$recorded'(_, _, R)), !.
erase(R) :- R \= '$record'(_), throw(error(type_error(db_reference, R), context(system:erase/1, _))).
instance(R, (H :- B)) :- nonvar(R), R = '<clause>'(Id), !, '$clause_at'(Id, H, B).
instance(R, V) :- '$recorded_now', '$recorded'(_, V, R), !.
current_key(K) :- '$recorded_now', findall(K0, '$recorded'(K0, _, _), L), sort(L, S), '$element'(K, S).
'$recorded_now' :- '$dynamic'('$recorded', 3).
'$record_key'(K, N) :- callable(K), !, functor(K, N, _).
'$record_key'(K, K).
'$record_number'('$record'(N)) :- gensym('$record', N).

empty_nb_set(nb_set(t)).
add_nb_set(K, S) :- add_nb_set(K, S, _).
add_nb_set(K, S, New) :- arg(1, S, T0), ( get_assoc(K, T0, _) -> New = false ; New = true, put_assoc(K, T0, true, T), nb_setarg(1, S, T) ).
nb_set_to_list(nb_set(T), L) :- assoc_to_keys(T, L).
gen_nb_set(S, K) :- nb_set_to_list(S, L), '$element'(K, L).
size_nb_set(S, N) :- nb_set_to_list(S, L), '$length'(L, N).

is_alpha(C) :- code_type(C, csym).
is_alnum(C) :- code_type(C, alnum).
is_csym(C) :- code_type(C, csym).
is_csymf(C) :- code_type(C, csymf).
is_digit(C) :- code_type(C, digit(_)).
is_graph(C) :- code_type(C, graph).
is_lower(C) :- code_type(C, lower).
is_upper(C) :- code_type(C, upper).
is_punct(C) :- code_type(C, punct).
is_space(C) :- code_type(C, space).
is_white(C) :- code_type(C, white).
is_newline(10).
is_endline(C) :- C >= 10, C =< 13.
is_period(C) :- memberchk(C, [0'., 0'?, 0'!]).
is_quote(C) :- memberchk(C, [0'\', 0'", 0'`]).
is_ascii(C) :- C >= 0, C < 128.
to_lower(C, L) :- ( code_type(C, upper(L0)) -> L = L0 ; L = C ).
to_upper(C, U) :- ( code_type(C, lower(U0)) -> U = U0 ; U = C ).

% Of older systems.
sublist(G, L, R) :- include(G, L, R).
checklist(G, L) :- maplist(G, L).
write_ln(X) :- writeln(X).
displayq(T) :- write_term(T, [quoted(true), ignore_ops(true)]).
display(T) :- write_term(T, [ignore_ops(true)]).
display(S, T) :- write_term(S, T, [ignore_ops(true)]).
'C'([X|S], X, S).
otherwise.
on_exception(E, G, R) :- catch(G, E, R).
raise_exception(E) :- throw(E).
simple(T) :- \+ compound(T).
prolog_flag(F, V) :- current_prolog_flag(F, V).
proper_list(L) :- is_list(L).
hash_term(T, H) :- term_hash(T, H).
unknown(_, _).
no_style_check(_).
current_module(user).
strip_module(T, M, G) :- nonvar(T), T = M0:G0, !, strip_module(G0, M1, G), ( nonvar(G0), G0 = _:_ -> M = M1 ; M = M0 ).
strip_module(G, user, G).
