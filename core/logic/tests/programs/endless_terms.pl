% Built-in predicates on terms that hold themselves: what they raise, and what they find out.
:- use_module(library(chr)).
:- use_module(library(terms)).
:- chr_constraint seen(?).
:- dynamic p/1.
seen(X) \ seen(X) <=> true.
raised(G, E, A) :- catch(G, error(T, _), true), T =.. [E, A|_].
walked(N, Vs, E) :- X = f(X), term_size(X, N), ground(X), term_variables(X, Vs), numbervars(X, 0, E).
copied :- X = f(X, _), term_hash(X, _), findall(X, true, [Y]), Y = f(Z, _), Y == Z.
kept :- X = f(X), nb_setval(key, X), nb_getval(key, Y), Y = f(Z), Y == Z, X = Y.
thrown :- X = f(X), catch(throw(X), Y, true), X == Y.
nested(N, M) :- S = g(a), term_size(f(S, S), N), term_size(f(1.5, "abc", "abcdefgh", [a, b]), M).
once_in(Vs, B) :- T = g(_), term_singletons(f(T, T, B), Vs).
shared(0, a) :- !.
shared(N, f(X, X)) :- M is N-1, shared(M, X).
large(N) :- shared(60, X), shared(60, Y), X == Y, X = Y, ground(X), copy_term(X, Z), Z =@= X, term_size(Z, N).
nest(0, true) :- !.
nest(N, catch(call(call, (G, true)), _, true)) :- M is N-1, nest(M, G).
deep :- nest(100000, G), call(G).

%? deep
%= true
%? raised((L = [a|L], length(L, _)), E, A)
%= E = type_error
%= A = list
%? raised((L = [a|L], msort(L, _)), E, A)
%= E = type_error
%= A = list
%? raised((L = [a|L], memberchk(b, L)), E, A)
%= E = type_error
%= A = list
%? raised((P = 1+P, _ is P), E, A)
%= E = type_error
%= A = expression
%? raised((P = 1+P, P =:= 1), E, A)
%= E = type_error
%= A = expression
%? raised((X = f(X), assertz(p(X))), E, A)
%= E = representation_error
%= A = cyclic_term
%? walked(N, Vs, E)
%= N = 2
%= Vs = []
%= E = 0
%? copied, kept, thrown
%= true
%? nested(N, M), once_in(Vs, B)
%= N = 5
%= M = 21
%= Vs = [B]
%? large(N)
%= N = 180
%? catch(_:true, error(E, _), true)
%= E = instantiation_error
