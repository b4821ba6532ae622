% Options that declare modes and types, and pragmas that name several heads.
:- use_module(library(chr)).
:- chr_option(mode, edge(+, +, ?)).
:- chr_option(type_declaration, edge(int, int, colour)).
:- chr_option(type_definition, type(colour, [red, mixed(int)])).
:- chr_option(type_declaration, node(colour)).
:- chr_option(verbosity, on).
:- chr_constraint edge/3, node/1, left(?), right(?).
same @ edge(A, B, X) \ edge(A, B, Y) <=> X = Y.
meet @ left(X) # I, right(Y) # J ==> true | node(mixed(X)), Y > 0 pragma mpassive([I]), passive(J).
wakes @ left(X) # I, right(Y) ==> node(mixed(X)), Y > 0 pragma mpassive([I]).
ok.
raised(G, F) :- catch(G, error(F, _), true).

%? edge(1, 2, X), edge(1, 2, red)
%= X = red
%= edge(1, 2, red)
%? raised(edge(a, 2, red), F)
%= F = type_error(int, a)
%? raised(edge(1, 2, green), F)
%= F = type_error(colour, green)
%? raised(node(mixed(x)), F)
%= F = type_error(int, x)
%? ok, node(red), node(mixed(3))
%= node(mixed(3))
%= node(red)
%? ok, left(1), right(2)
%= node(mixed(1))
%= left(1)
%= right(2)
%? ok, right(2), left(1)
%= left(1)
%= right(2)
