% A program may define types that have the name of an addition of gchr.
:- use_module(library(chr)).
:- chr_type string == any.
:- chr_type atom ---> left ; right.
:- chr_constraint text(+string), side(?atom).
text(X), side(Y) <=> X = Y.

%? text("b"), text(T), T = c
%= T = c
%= text(c)
%= text("b")
%? text(T), side(left)
%= T = left
%? catch(side(middle), error(E, _), true)
%= E = type_error(atom, middle)
