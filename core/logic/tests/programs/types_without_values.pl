% A part of an alternative of a type may be of a type that nothing defines: no value is of that.
:- use_module(library(chr)).
:- chr_type tree(T) ---> leaf ; node(tree(T), tree(T)) ; tagged(label, tree(T)).
:- chr_constraint grown(?tree(int)), size(?any, ?int).
grown(leaf) <=> true.
grown(node(L, R)) <=> grown(L), grown(R).
grown(T), size(T, N) <=> var(T) | size(T, N).

%? grown(node(leaf, node(leaf, leaf))), size(_, 3)
%= size(_1, 3)
%? catch(grown(tagged(1, leaf)), error(type_error(_, V), _), true)
%= V = 1
%? catch(grown(tagged(L, leaf)), _, true), var(L), fail
%= the derivation failed
%? catch(grown(twig), error(E, _), true)
%= E = type_error(tree(int), twig)
