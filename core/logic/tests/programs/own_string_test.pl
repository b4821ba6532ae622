% A program's own string/1, in bodies and called as a term; and small corners of lists, columns and numbers.
:- use_module(library(lists)).
:- use_module(library(apply)).

string([a]).
string([b]).
plain(L) :- findall(X, string(X), L).
called(L) :- G = string(X), findall(X, G, L).
side(X, C) :- compare(C, X, 2).
text(F, As, T) :- with_output_to(atom(T), format(F, As)).

%? plain(L), called(M), L = M
%= L = M
%= M = [[a], [b]]
%? partition(side, [1, 2, 3, 0], L, E, G)
%= L = [1, 0]
%= E = [2]
%= G = [3]
%? ( numlist(3, 1, _) -> R = yes ; R = no ), numlist(1, 3, L), numlist(2, 2, M)
%= R = no
%= L = [1, 2, 3]
%= M = [2]
%? ( length(L, L) -> R = yes ; R = no ), L = []
%= L = []
%= R = no
%? ( length([a|L], L) -> R = yes ; R = no ), L = []
%= L = []
%= R = no
%? catch(_ =.. [_], error(E, _), true)
%= E = instantiation_error
%? text("~`-t~20|~n~w~t~6+~w~n", [a, b], T)
%= T = '--------------------\na                         b\n'
%? text("~w~t~10+~w~n~w~t~10+~w~n", [a, b, c, d], T)
%= T = 'a         b\nc                   d\n'
%? with_output_to(atom(T), ( write(xx), format("~w~t~6+~w", [a, b]) ))
%= T = 'xxa   b'
%? findall(X, ( X is 1.0e16/3 ; X is 1.0e15+0.5 ; X is 1.0e17/3 ), L)
%= L = [3333333333333333.5, 1000000000000000.5, 3.3333333333333332e+16]
%? findall(C, ( member(A, [3, 1]), member(B, [1, 3]), compare(C, A, B) ), L)
%= L = [>, =, =, <]
%? findall(I-C, string_code(I, "ab", C), L), \+ string_code(0, "ab", _), string_code(2, "ab", D)
%= L = [1-97, 2-98]
%= D = 98
%? findall(K-Cs, ( member(K, [prolog_var_start, prolog_atom_start, prolog_identifier_continue, prolog_symbol]), findall(C, ( member(C, [a, 'A', '_', '1', +, '(']), char_type(C, K) ), Cs) ), L)
%= L = [prolog_var_start-['A', '_'], prolog_atom_start-[a], prolog_identifier_continue-[a, 'A', '_', '1'], prolog_symbol-[+]]
%? catch(with_output_to(foo(_), true), error(type_error(E, _), _), true)
%= E = output
%? catch(aggregate_all(foo, true, _), error(E, _), true)
%= E = domain_error(aggregate_template, foo)
