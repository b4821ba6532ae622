% Constraints that are written between their arguments.
:- use_module(library(chr)).
:- op(700, xfx, isa).
:- chr_constraint (isa)/2.
X isa Y \ X isa Y <=> true.
X isa Y, Y isa Z ==> X isa Z.
animals :- dog isa mammal, mammal isa animal.

%? animals
%= dog isa animal
%= mammal isa animal
%= dog isa mammal
%? X isa dog, X isa dog
%= X isa dog
