% What programs use of smaller libraries: code as text, names of files, goals as terms, random choices.

format_to_codes(F, As, Cs) :- with_output_to(codes(Cs), format(F, As)).
format_to_chars(F, As, Cs) :- format_to_codes(F, As, Cs).
write_to_codes(T, Cs) :- with_output_to(codes(Cs), write(T)).
write_to_chars(T, Cs) :- write_to_codes(T, Cs).
write_term_to_codes(T, Cs, Os) :- with_output_to(codes(Cs), write_term(T, Os)).
with_output_to_codes(G, Cs) :- with_output_to(codes(Cs), G).
with_output_to_chars(G, Cs) :- with_output_to(codes(Cs), G).
atom_to_chars(A, Cs) :- atom_codes(A, Cs).
number_to_chars(N, Cs) :- number_codes(N, Cs).
read_from_chars(Cs, T) :- read_from_codes(Cs, T).
read_from_codes(Cs, T) :- atom_codes(A, Cs), term_to_atom(T, A).
read_term_from_codes(Cs, T, _) :- read_from_codes(Cs, T).
read_line_to_codes(S, Cs, Tail) :- read_line_to_codes(S, L), ( L == -1 -> Cs = Tail ; '$append'(L, [0'\n|Tail], Cs) ).
read_stream_to_codes(S, Cs, Tail) :- read_stream_to_codes(S, L), '$append'(L, Tail, Cs).
write_length(T, N, Os) :- with_output_to(string(S), write_term(T, Os)), string_length(S, N).
put_code(S, C) :- put(S, C).
put_byte(S, C) :- put(S, C).
peek_byte(C) :- peek_code(C).
peek_byte(S, C) :- peek_code(S, C).
prompt1(_).

abs(X, Y) :- Y is abs(X).
sign(X, Y) :- Y is sign(X).
sqrt(X, Y) :- Y is sqrt(X).
sin(X, Y) :- Y is sin(X).
cos(X, Y) :- Y is cos(X).
tan(X, Y) :- Y is tan(X).
asin(X, Y) :- Y is asin(X).
acos(X, Y) :- Y is acos(X).
atan(X, Y) :- Y is atan(X).
log(X, Y) :- Y is log(X).
floor(X, Y) :- Y is floor(X).
ceiling(X, Y) :- Y is ceiling(X).
round(X, Y) :- Y is round(X).
pow(X, Y, Z) :- Z is X**Y.
divmod(D, V, Q, R) :- Q is D div V, R is D mod V.
nth_integer_root_and_remainder(N, I, Root, Rest) :- R0 is truncate(I ** (1.0/N)), '$integer_root'(R0, N, I, Root), Rest is I-Root**N.
'$integer_root'(R, N, I, Root) :- ( R**N > I -> R1 is R-1, '$integer_root'(R1, N, I, Root) ; (R+1)**N =< I -> R1 is R+1, '$integer_root'(R1, N, I, Root) ; Root = R ).

maybe :- random(2) =:= 0.
maybe(P) :- random_float < P.
maybe(K, N) :- random(N) < K.
randseq(K, N, L) :- randset(K, N, S), random_permutation(S, L).
randset(K, N, S) :- '$randset'(K, N, [], S).
'$randset'(0, _, S, S) :- !.
'$randset'(K, N, S0, S) :- X is random(N)+1, ( memberchk(X, S0) -> '$randset'(K, N, S0, S) ; K1 is K-1, ord_insert(S0, X, S1), '$randset'(K1, N, S1, S) ).
random_perm2(A, B, X, Y) :- ( maybe -> X = A, Y = B ; X = B, Y = A ).
random_subseq([], [], []).
random_subseq([X|L], S, R) :- ( maybe -> S = [X|S1], R = R1 ; S = S1, R = [X|R1] ), random_subseq(L, S1, R1).
getrand(_).

mkconj(A, B, C) :- ( A == true -> C = B ; B == true -> C = A ; C = (A, B) ).
mkdisj(A, B, C) :- ( A == false -> C = B ; B == false -> C = A ; A == true -> C = true ; B == true -> C = true ; C = (A ; B) ).
comma_list(C, L) :- '$joined_list'(C, ',', L).
semicolon_list(C, L) :- '$joined_list'(C, ;, L).
'$joined_list'(C, Op, L) :- nonvar(C), !, '$split_goal'(C, Op, L, []).
'$joined_list'(C, Op, [G|Gs]) :- '$join_goals'(Gs, G, Op, C).
'$split_goal'(C, Op, L, T) :- ( nonvar(C), C =.. [Op, A, B] -> '$split_goal'(A, Op, L, L1), '$split_goal'(B, Op, L1, T) ; L = [C|T] ).
'$join_goals'([], G, _, G).
'$join_goals'([H|T], G, Op, C) :- C =.. [Op, G, C1], '$join_goals'(T, H, Op, C1).
pi_head(PI, _:H) :- !, pi_head(PI, H).
pi_head(N/A, H) :- ( var(H) -> functor(H, N, A) ; functor(H, N, A) ).
head_name_arity(H, N, A) :- functor(H, N, A).
most_general_goal(G, M) :- functor(G, N, A), functor(M, N, A).
extend_goal(G, As, E) :- '$extend'(G, As, E).
mapsubterms(G, A, B) :- '$mapsubterm'(A, G, B).
'$mapsubterm'(A, G, B) :- ( call(G, A, B0) -> B = B0 ; compound(A) -> A =.. [F|As], '$mapsubterms'(As, G, Bs), B =.. [F|Bs] ; B = A ).
'$mapsubterms'([], _, []).
'$mapsubterms'([A|As], G, [B|Bs]) :- '$mapsubterm'(A, G, B), '$mapsubterms'(As, G, Bs).
foldsubterms(G, T, S0, S) :- foldsubterms([A, _, V0, V]>>call(G, A, V0, V), T, _, S0, S).
foldsubterms(G, A, B, S0, S) :-
    ( call(G, A, B0, S0, S1) -> B = B0, S = S1 ; compound(A) -> A =.. [F|As], '$foldsubterms'(As, G, Bs, S0, S), B =.. [F|Bs] ; B = A, S = S0 ).
'$foldsubterms'([], _, [], S, S).
'$foldsubterms'([A|As], G, [B|Bs], S0, S) :- foldsubterms(G, A, B, S0, S1), '$foldsubterms'(As, G, Bs, S1, S).
ord_intersect(A, B, I) :- ord_intersection(A, B, I).
ord_intersection(A, B, I, R) :- ord_intersection(A, B, I), ord_subtract(B, A, R).

nth_clause(H, N, R) :- nonvar(R), !, clause(H0, _, R), functor(H0, F, A), functor(H, F, A), functor(G, F, A), findall(R0, clause(G, _, R0), Rs), nth1(N, Rs, R), !.
nth_clause(H, N, R) :- functor(H, F, A), functor(G, F, A), findall(R0, clause(G, _, R0), Rs), nth1(N, Rs, R).
copy_predicate_clauses(From, To) :- functor(From, F, A), functor(H, F, A), functor(To, T, _), H =.. [_|As], N =.. [T|As], forall(clause(H, B), assertz((N :- B))).
context_module(user).
'@'(G, _) :- call(G).
initialization(G) :- call(G).
initialization(G, _) :- call(G).
main :- call(main, []).
abort :- throw('$aborted').
break.
tracing :- fail.
backtrace(_).
profile(G) :- once(G).
profile(G, _) :- once(G).
representation_error(W) :- throw(error(representation_error(W), _)).
syntax_error(W) :- throw(error(syntax_error(W), _)).
uninstantiation_error(T) :- throw(error(uninstantiation_error(T), _)).
existence_error(T, V, In) :- throw(error(existence_error(T, V, In), _)).
mutex_create(_).
mutex_destroy(_).
mutex_lock(_).
mutex_trylock(_).
mutex_unlock(_).
nb_linkval(K, V) :- nb_setval(K, V).
nb_linkarg(I, T, V) :- nb_setarg(I, T, V).

file_base_name(F, B) :- '$path_parts'(F, _, B).
file_directory_name(F, D) :- '$path_parts'(F, Ps, _), ( Ps == [] -> D = '.' ; Ps == [''] -> D = / ; atomic_list_concat(Ps, /, D) ).
'$path_parts'(F, Ps, B) :- atomic_list_concat(All, /, F), '$append'(Ps, [B], All), !.
file_name_extension(B, E, F) :- nonvar(F), !,
    ( nonvar(E), E \== '', \+ sub_atom(E, 0, _, _, '.') -> atom_concat('.', E, D) ; D = E ),
    ( nonvar(D) -> atom_concat(B, D, F) ; sub_atom(F, At, 1, After, '.'), \+ ( sub_atom(F, Later, 1, _, '.'), Later > At ) -> sub_atom(F, 0, At, _, B), sub_atom(F, _, After, 0, E) ; B = F, E = '' ).
file_name_extension(B, E, F) :- ( E == '' -> F = B ; sub_atom(E, 0, _, _, '.') -> atom_concat(B, E, F) ; atomic_list_concat([B, E], '.', F) ).

compile_predicates(_).

% Tables by key (library(hashtable)): a term whose argument is an association list, changed so that backtracking undoes it.
ht_new(ht(A, 0)) :- empty_assoc(A).
ht_is_hashtable(T) :- nonvar(T), T = ht(_, N), integer(N).
ht_size(T, N) :- arg(2, T, N).
ht_get(T, K, V) :- arg(1, T, A), get_assoc(K, A, V).
ht_put(T, K, V) :- arg(1, T, A), ( get_assoc(K, A, _) -> true ; '$ht_grow'(T, 1) ), put_assoc(K, A, V, B), setarg(1, T, B).
ht_put(T, K, V, IfNew, Old) :- ( ht_get(T, K, V0) -> Old = V0 ; Old = IfNew ), ht_put(T, K, V).
ht_put_new(T, K, V) :- \+ ht_get(T, K, _), ht_put(T, K, V).
ht_update(T, K, Old, New) :- ht_get(T, K, Old), ht_put(T, K, New).
ht_del(T, K, V) :- arg(1, T, A), del_assoc(K, A, V, B), '$ht_grow'(T, -1), setarg(1, T, B).
'$ht_grow'(T, By) :- arg(2, T, N0), N is N0 + By, setarg(2, T, N).
ht_gen(T, K, V) :- ht_pairs(T, Ps), '$element'(K-V, Ps).
ht_pairs(T, Ps) :- ( var(T) -> ht_new(T), '$ht_put_all'(Ps, T) ; arg(1, T, A), assoc_to_list(A, Ps) ).
'$ht_put_all'([], _).
'$ht_put_all'([K-V|Ps], T) :- ht_put(T, K, V), '$ht_put_all'(Ps, T).
ht_keys(T, Ks) :- arg(1, T, A), assoc_to_keys(A, Ks).
ht_values(T, Vs) :- arg(1, T, A), assoc_to_values(A, Vs).
