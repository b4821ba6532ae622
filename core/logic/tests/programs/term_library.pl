% Predicates on terms that are in libraries.
:- use_module(library(chr)).
:- use_module(library(terms)).
:- use_module(library(occurs)).
:- chr_constraint seen(?any).
%? name(X, "42"), name(Y, "ab"), name(foo, L)
%= X = 42
%= Y = ab
%= L = [102, 111, 111]
%? compound_name_arguments(f(a, B), N, As)
%= N = f
%= As = [a, B]
%? compound_name_arguments(T, g, [1, 2]), compound_name_arity(T, N, A)
%= T = g(1, 2)
%= N = g
%= A = 2
%? findall(S, sub_term(S, f(a, g(b))), L)
%= L = [f(a, g(b)), a, g(b), b]
%? occurrences_of_term(a, f(a, g(a, b)), N), contains_term(b, f(b))
%= N = 2
%? subsumes_chk(f(_), f(a)), \+ subsumes_chk(f(b), f(a)), variant(f(X, Y), f(Y, Z))
%= true
%? recordz(k, 1), recordz(k, 2), recorda(k, 0), findall(X, recorded(k, X), L)
%= L = [0, 1, 2]
%? \+ \+ ( recordz(k, a, R), erase(R), \+ recorded(k, a) )
%= true
%? mapargs([X, Y]>>(Y = x(X)), f(1, 2), T)
%= T = f(x(1), x(2))
%? term_size(f(a, b), N), nonground(f(X, a), V), V == X, seen(X)
%= N = 3
%= X = V
%= seen(V)
%? is_most_general_term(f(A, B)), \+ is_most_general_term(f(C, C))
%= true
%? strip_module(m:f(x), M, G)
%= M = m
%= G = f(x)
%? same_functor(f(a), F)
%= F = f(_1)
%? term_singletons(f(A, B, A, C), Vs)
%= Vs = [B, C]
%? catch(functor(_, foo, -1), error(E, _), true)
%= E = domain_error(not_less_than_zero, -1)
%? catch(format("~w ~w~n", [a]), error(E, _), nl)
%= a 
%= E = format('not enough arguments')
