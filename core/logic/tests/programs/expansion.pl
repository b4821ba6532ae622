% Terms and goals that clauses of the program change while it is read: rules of CHR, declarations, facts that are
% collected, goals in bodies, guards, rules of grammars and closures.
:- use_module(library(chr)).
:- use_module(library(lists)).
:- dynamic seen/1, level/1.
level(0).
term_expansion(constraint(C), (:- Declaration)) :- Declaration = chr_constraint(C).
term_expansion(on(H, B), (H <=> B)).
term_expansion(count(N), Facts) :- findall(numbered(I), between(1, N, I), Facts).
term_expansion(nothing(_), []).
term_expansion(note(X), []) :- assertz(seen(X)).
term_expansion(up, level_was(N)) :- retract(level(N)), N1 is N + 1, assertz(level(N1)).
term_expansion(names(T), named(Ns)) :- prolog_load_context(variable_names, Ns), arg(1, T, _).
term_expansion(grammar(N, L), (N --> L)).
term_expansion((a :- B), [(b :- B), (c0 :- B, true)]).
term_expansion(end_of_file, [last(N), end_of_file]) :- aggregate_all(count, seen(_), N).
goal_expansion(hello(X), X = hello).
goal_expansion(twice(X, Y), Y is 2 * X).
goal_expansion(loop(X), loop(s(X))).
goal_expansion(trace_it(_), true).
goal_expansion(first(X, L), (L = [Y|_], X = Y)).
constraint(c(?any)).
constraint((d(?any), e(?any))).
on(c(X), (hello(Y), d(X-Y))).
d(X-_) \ e(X) <=> atom_length(abc, 3).
e(X) ==> integer(X), trace_it(X), twice(X, Y), Y > 4 | d(Y).
count(3).
nothing(1).
note(one).
note(two).
up.
up.
names(f(A, _B, A)).
grammar(digits, ([D], { hello(D) })).
letters --> [x], { hello(H), first(H, [hello]) }, letters.
letters --> [].
a :- hello(X), atom(X).
firsts(Ls, Xs) :- maplist(first_of(k), Ls, Xs).
first_of(_, L, X) :- first(X, L).
all(L) :- findall(X, (member(X, [1, 2, 3]), \+ hello(X)), L).
nested(X) :- ( hello(X) -> true ; fail ), once(hello(X)), forall(member(Y, [hello]), hello(Y)).
:- if(numbered(2)).
with_number.
:- elif(true).
without_number.
:- endif.
%? c(1)
%= d(1-hello)
%? e(3)
%= d(6)
%= e(3)
%? d(2-x), e(2)
%= d(2-x)
%? findall(X, numbered(X), L)
%= L = [1, 2, 3]
%? findall(X, seen(X), L)
%= L = [one, two]
%? findall(X, level_was(X), L), level(N)
%= L = [0, 1]
%= N = 2
%? named(Ns)
%= Ns = ['A'=_1, '_B'=_2]
%? digits(L, [])
%= L = [hello]
%? letters([x, x], R)
%= R = []
%? b
%= true
%? \+ current_predicate(a/0)
%= true
%? c0
%= true
%? firsts([[1], [2, 3]], L)
%= L = [1, 2]
%? all(L)
%= L = [1, 2, 3]
%? nested(X)
%= X = hello
%? last(N)
%= N = 2
%? with_number, \+ current_predicate(without_number/0)
%= true

user:goal_expansion(at_most_once(G), (G -> true)).
one_or_two(X) :- ( at_most_once(member(X, [1, 3])) ; X = 2 ).

%? findall(X, one_or_two(X), L)
%= L = [1, 2]
