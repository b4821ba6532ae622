% The standard order of terms.
:- use_module(library(lists)).

%? msort([f(1), b, 2, "s", 1.5, Z, a], L)
%= L = [Z, 1.5, 2, "s", a, b, f(1)]
%? compare(O, f(a, b), g(a)), a @< b, \+ b @< a
%= O = (>)
%? sort([c, a, b, a], L), predsort([O, A, B]>>compare(O, A, B), [2, 1, 2], M)
%= L = [a, b, c]
%= M = [1, 2]
