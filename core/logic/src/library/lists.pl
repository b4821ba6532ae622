% Lists, pairs, ordered sets, options.

append([], L, L).
append([H|T], L, [H|R]) :- append(T, L, R).
append(Ls, L) :- '$append_all'(Ls, L).
'$append_all'([], []).
'$append_all'([L|Ls], As) :- append(L, Ws, As), '$append_all'(Ls, Ws).
prefix([], _).
prefix([E|T0], [E|T]) :- prefix(T0, T).
member(X, [Y|T]) :- '$member'(T, X, Y).
'$member'(_, X, X).
'$member'([Y|T], X, _) :- '$member'(T, X, Y).
select(X, [X|T], T).
select(X, [H|T], [H|R]) :- select(X, T, R).
selectchk(X, L, R) :- select(X, L, R), !.
select(X, Xs, Y, Ys) :- '$select4'(Xs, X, Y, Ys).
'$select4'([X|T], X, Y, [Y|T]).
'$select4'([H|T], X, Y, [H|T2]) :- '$select4'(T, X, Y, T2).
selectchk(X, Xs, Y, Ys) :- select(X, Xs, Y, Ys), !.
subtract([], _, []).
subtract([H|T], L, R) :- memberchk(H, L), !, subtract(T, L, R).
subtract([H|T], L, [H|R]) :- subtract(T, L, R).
intersection([], _, []).
intersection([H|T], L, R) :- ( memberchk(H, L) -> R = [H|R1] ; R = R1 ), intersection(T, L, R1).
union([], L, L).
union([H|T], L, R) :- memberchk(H, L), !, union(T, L, R).
union([H|T], L, [H|R]) :- union(T, L, R).
subset([], _).
subset([H|T], L) :- memberchk(H, L), subset(T, L).
permutation(Xs, Ys) :- ( is_list(Xs) -> '$length'(Xs, N), '$length'(Ys, N) ; is_list(Ys) -> '$length'(Ys, N), '$length'(Xs, N) ; true ),
    '$permutation'(Xs, Ys).
'$permutation'([], []).
'$permutation'(L, [H|T]) :- select(H, L, R), '$permutation'(R, T).
flatten(L, F) :- '$flatten'(L, [], F0), !, F = F0.
'$flatten'(V, T, [V|T]) :- var(V), !.
'$flatten'([], T, T) :- !.
'$flatten'([H|R], T, F) :- !, '$flatten'(H, F1, F), '$flatten'(R, T, F1).
'$flatten'(A, T, [A|T]).
delete([], _, []).
delete([H|T], X, R) :- H \= X, !, R = [H|R1], delete(T, X, R1).
delete([_|T], X, R) :- delete(T, X, R).
nth0(I, L, E) :- '$nth'(I, L, E, 0).
nth1(I, L, E) :- '$nth'(I, L, E, 1).
'$nth'(I, L, E, B) :- integer(I), !, K is I-B, K >= 0, '$nth_det'(K, L, E).
'$nth'(I, L, E, B) :- var(I), !, L = [H|T], '$nth_gen'(T, E, H, B, I).
'$nth'(I, _, _, _) :- must_be(integer, I).
'$nth_det'(0, [E|_], E) :- !.
'$nth_det'(K, [_|T], E) :- K1 is K-1, '$nth_det'(K1, T, E).
'$nth_gen'(_, E, E, B, B).
'$nth_gen'([H|T], E, _, B, I) :- B1 is B+1, '$nth_gen'(T, E, H, B1, I).
nth0(I, L, E, R) :- var(I), !, '$nth_gen_del'(L, E, R, 0, I).
nth0(I, L, E, R) :- must_be(nonneg, I), '$nth_del'(I, L, E, R).
nth1(I, L, E, R) :- var(I), !, '$nth_gen_del'(L, E, R, 1, I).
nth1(I, L, E, R) :- must_be(positive_integer, I), K is I-1, '$nth_del'(K, L, E, R).
'$nth_del'(0, [E|R], E, R) :- !.
'$nth_del'(K, [H|T], E, [H|R]) :- K1 is K-1, '$nth_del'(K1, T, E, R).
'$nth_gen_del'([E|R], E, R, B, B).
'$nth_gen_del'([H|T], E, [H|R], B, I) :- B1 is B+1, '$nth_gen_del'(T, E, R, B1, I).
last([X|Xs], L) :- '$last'(Xs, X, L).
'$last'([], L, L).
'$last'([X|Xs], _, L) :- '$last'(Xs, X, L).
proper_length(L, N) :- is_list(L), '$length'(L, N).
same_length([], []).
same_length([_|A], [_|B]) :- same_length(A, B).
max_list([H|T], M) :- '$max_list'(T, H, M).
'$max_list'([], M, M).
'$max_list'([H|T], M0, M) :- M1 is max(M0, H), '$max_list'(T, M1, M).
min_list([H|T], M) :- '$min_list'(T, H, M).
'$min_list'([], M, M).
'$min_list'([H|T], M0, M) :- M1 is min(M0, H), '$min_list'(T, M1, M).
max_member(M, [H|T]) :- '$max_member'(T, H, M).
'$max_member'([], M, M).
'$max_member'([H|T], M0, M) :- ( H @> M0 -> '$max_member'(T, H, M) ; '$max_member'(T, M0, M) ).
min_member(M, [H|T]) :- '$min_member'(T, H, M).
'$min_member'([], M, M).
'$min_member'([H|T], M0, M) :- ( H @< M0 -> '$min_member'(T, H, M) ; '$min_member'(T, M0, M) ).
memberchk(X, L) :- '$memberchk'(X, L, How), ( How == done -> true ; '$element_of_any'(X, L) -> true ).
'$element_of_any'(X, [X|_]).
'$element_of_any'(X, [_|T]) :- '$element_of_any'(X, T).
reverse(L, R) :- is_list(L), !, '$reverse'(L, R).
reverse(L, R) :- '$reverse_partial'(L, R, []).
'$reverse_partial'([], R, R).
'$reverse_partial'([X|T], R, S) :- '$reverse_partial'(T, R, [X|S]).
numlist(L, H, R) :- must_be(integer, L), must_be(integer, H), L =< H, '$numlist'(L, H, R).
'$numlist'(H, H, R) :- !, R = [H].
'$numlist'(L, H, [L|R]) :- L1 is L+1, '$numlist'(L1, H, R).
is_set(S) :- is_list(S), '$length'(S, N), sort(S, T), '$length'(T, N).
predsort(P, L, Sorted) :- '$length'(L, N), '$predsort'(P, N, L, _, Sorted0), !, Sorted = Sorted0.
'$predsort'(P, 2, [X1,X2|L], L, R) :- !, call(P, Delta, X1, X2), '$sort2'(Delta, X1, X2, R).
'$predsort'(_, 1, [X|L], L, [X]) :- !.
'$predsort'(_, 0, L, L, []) :- !.
'$predsort'(P, N, L1, L3, R) :- N1 is N//2, plus(N1, N2, N),
    '$predsort'(P, N1, L1, L2, R1), '$predsort'(P, N2, L2, L3, R2), '$predmerge'(P, R1, R2, R).
'$sort2'(<, X1, X2, [X1,X2]).
'$sort2'(=, X1, _, [X1]).
'$sort2'(>, X1, X2, [X2,X1]).
'$predmerge'(_, [], R, R) :- !.
'$predmerge'(_, R, [], R) :- !.
'$predmerge'(P, [H1|T1], [H2|T2], R) :- call(P, D, H1, H2), !, '$predmerge_'(D, P, H1, H2, T1, T2, R).
'$predmerge_'(<, P, H1, H2, T1, T2, [H1|R]) :- '$predmerge'(P, T1, [H2|T2], R).
'$predmerge_'(=, P, H1, _, T1, T2, [H1|R]) :- '$predmerge'(P, T1, T2, R).
'$predmerge_'(>, P, H1, H2, T1, T2, [H2|R]) :- '$predmerge'(P, [H1|T1], T2, R).
merge(A, B, L) :- append(A, B, L0), msort(L0, L).
merge_set(A, B, L) :- append(A, B, L0), sort(L0, L).
'$sum'([], S, S).
'$sum'([H|T], S0, S) :- S1 is S0+H, '$sum'(T, S1, S).
pairs_keys_values([], [], []).
pairs_keys_values([K-V|T], [K|Ks], [V|Vs]) :- pairs_keys_values(T, Ks, Vs).
pairs_keys([], []).
pairs_keys([K-_|T], [K|Ks]) :- pairs_keys(T, Ks).
pairs_values([], []).
pairs_values([_-V|T], [V|Vs]) :- pairs_values(T, Vs).
transpose_pairs(Ps, Ts) :- '$flip'(Ps, Fs), keysort(Fs, Ts).
'$flip'([], []).
'$flip'([K-V|T], [V-K|R]) :- '$flip'(T, R).
map_list_to_pairs(F, L, Ps) :- '$to_pairs'(L, F, Ps).
'$to_pairs'([], _, []).
'$to_pairs'([H|T], F, [K-H|R]) :- call(F, H, K), '$to_pairs'(T, F, R).
group_pairs_by_key([], []).
group_pairs_by_key([K-V|T], [K-[V|Vs]|R]) :- '$same_key'(K, T, Vs, Rest), group_pairs_by_key(Rest, R).
'$same_key'(K0, [K-V|T], [V|Vs], Rest) :- K0 == K, !, '$same_key'(K, T, Vs, Rest).
'$same_key'(_, L, [], L).
list_to_ord_set(L, S) :- sort(L, S).
is_ordset(S) :- is_list(S), sort(S, T), T == S.
ord_empty([]).
ord_memberchk(X, [H|T]) :- compare(O, X, H), '$ord_member'(O, X, T).
'$ord_member'(=, _, _).
'$ord_member'(>, X, T) :- ord_memberchk(X, T).
ord_insert(S, E, S2) :- ord_union(S, [E], S2).
ord_add_element(S, E, S2) :- ord_union(S, [E], S2).
ord_del_element(S, E, S2) :- ord_subtract(S, [E], S2).
ord_union(Ls, S) :- append(Ls, L), sort(L, S).
ord_union([], B, B) :- !.
ord_union(A, [], A) :- !.
ord_union([A|As], [B|Bs], S) :- compare(O, A, B), '$ord_union'(O, A, As, B, Bs, S).
'$ord_union'(<, A, As, B, Bs, [A|S]) :- ord_union(As, [B|Bs], S).
'$ord_union'(=, A, As, _, Bs, [A|S]) :- ord_union(As, Bs, S).
'$ord_union'(>, A, As, B, Bs, [B|S]) :- ord_union([A|As], Bs, S).
ord_union(A, B, U, New) :- ord_union(A, B, U), ord_subtract(B, A, New).
ord_subtract([], _, []) :- !.
ord_subtract(A, [], A) :- !.
ord_subtract([A|As], [B|Bs], S) :- compare(O, A, B), '$ord_subtract'(O, A, As, B, Bs, S).
'$ord_subtract'(<, A, As, B, Bs, [A|S]) :- ord_subtract(As, [B|Bs], S).
'$ord_subtract'(=, _, As, _, Bs, S) :- ord_subtract(As, Bs, S).
'$ord_subtract'(>, A, As, _, Bs, S) :- ord_subtract([A|As], Bs, S).
ord_intersection([], _, []) :- !.
ord_intersection(_, [], []) :- !.
ord_intersection([A|As], [B|Bs], S) :- compare(O, A, B), '$ord_intersection'(O, A, As, B, Bs, S).
'$ord_intersection'(<, _, As, B, Bs, S) :- ord_intersection(As, [B|Bs], S).
'$ord_intersection'(=, A, As, _, Bs, [A|S]) :- ord_intersection(As, Bs, S).
'$ord_intersection'(>, A, As, _, Bs, S) :- ord_intersection([A|As], Bs, S).
ord_intersect(A, B) :- ord_intersection(A, B, [_|_]).
ord_disjoint(A, B) :- ord_intersection(A, B, []).
ord_subset(A, B) :- ord_subtract(A, B, []).
ord_seteq(A, B) :- A == B.
ord_symdiff(A, B, S) :- ord_subtract(A, B, L), ord_subtract(B, A, R), ord_union(L, R, S).
option(O, Os, D) :- O =.. [N, V], ( '$option'(N, Os, V0) -> V = V0 ; V = D ).
option(O, Os) :- O =.. [N, V], '$option'(N, Os, V0), V = V0.
'$option'(N, [O|T], V) :- ( O =.. [N, V0] -> V = V0 ; O = (N = V0) -> V = V0 ; '$option'(N, T, V) ).
select_option(O, Os, R) :- O =.. [N, V], functor(G, N, 1), select(G, Os, R), !, arg(1, G, V).
select_option(O, Os, R, D) :- ( select_option(O, Os, R0) -> R = R0 ; arg(1, O, D), R = Os ).
merge_options(New0, Old0, Merged) :- '$canonical_options'(New0, New), '$canonical_options'(Old0, Old), '$drop_options'(New, Old, Kept), append(New, Kept, L), sort(L, Merged).
'$canonical_options'([], []).
'$canonical_options'([O0|T0], [O|T]) :- ( O0 = (N = V) -> O =.. [N, V] ; O = O0 ), '$canonical_options'(T0, T).
'$drop_options'([], L, L).
'$drop_options'([O|T], L0, L) :- functor(O, N, A), functor(G, N, A), ( select(G, L0, L1) -> true ; L1 = L0 ), '$drop_options'(T, L1, L).
subseq([], [], []).
subseq([H|T], S, [H|R]) :- subseq(T, S, R).
subseq([H|T], [H|S], R) :- subseq(T, S, R).
clumped([], []).
clumped([H|T], [H-N|R]) :- '$clump'(T, H, 1, N, Rest), clumped(Rest, R).
'$clump'([X|T], H, N0, N, R) :- X == H, !, N1 is N0+1, '$clump'(T, H, N1, N, R).
'$clump'(R, _, N, N, R).
transpose([], []).
transpose([R|Rs], Cs) :- '$columns'(R, [R|Rs], Cs).
'$columns'([], _, []).
'$columns'([_|T], Rows, [C|Cs]) :- '$heads'(Rows, C, Rest), '$columns'(T, Rest, Cs).
'$heads'([], [], []).
'$heads'([[H|T]|Rs], [H|C], [T|Rest]) :- '$heads'(Rs, C, Rest).
nextto(X, Y, [X, Y|_]).
nextto(X, Y, [_|T]) :- nextto(X, Y, T).
