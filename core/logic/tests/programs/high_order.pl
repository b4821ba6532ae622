% Sequences of text, tables by key, constraints with their module, and what debuggers and prompts remember.
:- use_module(library(chr)).
:- use_module(chr(chr_runtime)).
:- use_module(library(dcg/basics)).
:- use_module(library(dcg/high_order)).
:- use_module(library(hashtable)).
:- chr_constraint c/1.

st(S) --> string(C), {string_codes(S, C)}.
all(G, L) :- findall(L0-R, phrase(sequence(G, L0), `12`, R), L).
ways(L) :- findall(L0, phrase(sequence(st, ",", L0), `a,b`), L).
table(X, P, N) :- ht_new(T), ht_put(T, a, 1), ht_put(T, b, 2), ht_get(T, a, X), ht_pairs(T, P), ht_size(T, N).
again(V) :- ht_new(T), ht_put(T, a, 1), ( ht_put(T, a, 2), fail ; true ), ht_get(T, a, V), \+ ht_put_new(T, a, 3).
gone(N) :- ht_pairs(T, [a-1, b-2]), ht_del(T, a, 1), ht_update(T, b, 2, 3), ht_pairs(T, [b-3]), ht_size(T, N).
topic(A, B) :- debug(t), ( debugging(t) -> A = on ; A = off ), nodebug(t), ( debugging(t) -> B = on ; B = off ).
asked(A, B) :- prompt(A, 'cmd: '), prompt(B, B).
%? c(1), findall(M-X, current_chr_constraint(M:X), L)
%= L = [user-c(1)]
%= c(1)
%? c(1), '$enumerate_constraints'(c(X))
%= X = 1
%= c(1)
%? all(digit, L)
%= L = [[49, 50]-[], [49]-[50], []-[49, 50]]
%? ways(L)
%= L = [["a", "b"]]
%? phrase(sequence("[", digit, ",", "]", L), `[1,2]`)
%= L = [49, 50]
%? phrase(sequence(digit, ",", [0'1, 0'2]), L), atom_codes(A, L)
%= L = [49, 44, 50]
%= A = '1,2'
%? table(X, P, N)
%= X = 1
%= P = [a-1, b-2]
%= N = 2
%? again(V)
%= V = 1
%? gone(N)
%= N = 1
%? topic(A, B)
%= A = on
%= B = off
%? asked(A, B)
%= A = '|: '
%= B = 'cmd: '
