% Terms with numbers for variables, copies that share variables, and positions in lists that are no integers.
:- use_module(library(lists)).
:- use_module(library(varnumbers)).
%? varnumbers(f('$VAR'(1), '$VAR'(2), '$VAR'(1), g('$VAR'(x))), f(A, B, C, _)), A == C, A \== B
%= A = C
%? varnumbers(f('$VAR'(1), '$VAR'(0)), 1, f(A, B)), var(A), nonvar(B), A = 1, B = '$VAR'(N)
%= A = 1
%= B = A
%= N = 0
%? varnumbers_names(f('$VAR'(1), '$VAR'('Foo'), '$VAR'(1)), T, Bs), T = f(a, b, C)
%= T = f(a, b, a)
%= Bs = [1=a, 'Foo'=b]
%= C = a
%? max_var_number(f('$VAR'(1), g('$VAR'(12))), 0, N), max_var_number(f('$VAR'(1)), 5, M)
%= N = 12
%= M = 5
%? copy_term([X], f(X, Y), [A], T), Y = 1, A = 2
%= Y = 1
%= A = 2
%= T = f(2, 1)
%? copy_term(X, f(X, Y, Z), _, f(_, B, C)), B == Y, C == Z
%= Y = B
%= Z = C
%? catch(nth0(a, [x], _), error(E, _), true)
%= E = type_error(integer, a)
%? catch(nth1(1.0, [x], _), error(E, _), true)
%= E = type_error(integer, 1.0)
%? catch(nth0(a, [x], _, _), error(E, _), true)
%= E = type_error(nonneg, a)
%? catch(nth1(a, [x], _, _), error(E, _), true)
%= E = type_error(positive_integer, a)
%? \+ nth0(-1, [x], _), nth0(0, [x|_], E)
%= E = x
%? catch(nth0(-1, [x], _, _), error(E, _), true)
%= E = type_error(nonneg, -1)
