% The second argument of an error says which predicate or function raised it.
half(X, Y) :- Y is X/2.
small(X) :- X < 10.
of(G, E) :- catch(G, E, true).

%? of(half(a, _), E)
%= E = error(type_error(evaluable, a/0), context(system:(is)/2, _1))
%? of(half(_, _), E)
%= E = error(instantiation_error, context(system:(is)/2, _1))
%? of(small(foo), E)
%= E = error(type_error(evaluable, foo/0), context(system:(<)/2, _1))
%? of(X is 1/0, E)
%= E = error(evaluation_error(zero_divisor), context((/)/2, _1))
%? of(X is 7 mod 0, E)
%= E = error(evaluation_error(zero_divisor), context((mod)/2, _1))
%? of(X is 2.5 // 2, E)
%= E = error(type_error(integer, 2.5), context((//)/2, _1))
%? of(X is \ 1.0, E)
%= E = error(type_error(integer, 1.0), context((\)/1, _1))
%? of(X is log(0), E), of(Y is log(-1), F)
%= E = error(evaluation_error(float_overflow), context(system:(is)/2, _1))
%= F = error(evaluation_error(undefined), context(system:(is)/2, _2))
%? of(atom_length(_, _), E)
%= E = error(instantiation_error, context(system:atom_length/2, _1))
%? of(arg(x, f(a), _), E)
%= E = error(type_error(integer, x), context(system:arg/3, _1))
%? of(sub_atom(_, _, _, _, _), E)
%= E = error(instantiation_error, context(system:sub_atom/5, _1))
%? of(throw(error(mine, _)), E)
%= E = error(mine, _1)
%? of(assertz((half(_, _) :- small(_), 1)), error(E, _))
%= E = type_error(callable, (small(_1), 1))
%? of(( G = (fail, 1), call(G) ), error(E, _))
%= E = type_error(callable, (fail, 1))
%? of(compare(1, a, b), error(E, _)), of(compare(less, a, b), error(F, _))
%= E = type_error(atom, 1)
%= F = domain_error(order, less)
%? of(_ =.. [f(a), b], error(E, _)), of(_ =.. [f(a)], error(F, _))
%= E = type_error(atom, f(a))
%= F = type_error(atomic, f(a))
%? X is [a], L = [0'b], Y is L, catch(_ is [ab], error(E, _), true)
%= X = 97
%= L = [98]
%= Y = 98
%= E = type_error(character, ab)
%? catch(_ is [f(x)], error(E, _), true), catch(_ is [_], error(F, _), true)
%= E = type_error(character, f(x))
%= F = instantiation_error
