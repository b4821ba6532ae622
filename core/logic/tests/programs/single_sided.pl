% Clauses by single-sided unification: `Head, Guard => Body`.
first(f(X), Y) => Y = X.

inner(X), X = f(Y) => writeln(inner(Y)).
inner(_) => writeln(none).

swapped(X), true, f(Y) = X => writeln(Y).
swapped(_) => writeln(none).

same(X, X) => writeln(same).
same(_, _) => writeln(other).

large([X|L], R), X > 3 => R = [X|R1], large(L, R1).
large([_|L], R) => large(L, R).
large([], R) => R = [].

given(X), known(X) => true.
known(1).

nothing, fail => true.

caught(G) :- catch(G, error(E, _), (print(E), nl)).

%? first(f(1), X)
%= X = 1
%? caught(first(g(1), 2))
%= existence_error(matching_rule,first(g(1),2))
%= true
%? inner(f(2)), inner(g), inner(_)
%= inner(2)
%= none
%= none
%= true
%? swapped(f(2)), swapped(_)
%= 2
%= none
%= true
%? same(A, A), same(1, 1), same(1, 2), same(B, C)
%= same
%= same
%= other
%= other
%= true
%? large([1, 5, 2, 7], L)
%= L = [5, 7]
%? given(X)
%= X = 1
%? caught(nothing)
%= existence_error(matching_rule,nothing)
%= true
