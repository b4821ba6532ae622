% What is not known is false.
:- use_module(library(chr)).
:- chr_constraint bird(?any), flies(?any), penguin(?any).
penguin(X) ==> bird(X).
bird(X) ==> \+ X == pingu | flies(X).
zoo :- bird(tweety), penguin(pingu).

%? zoo
%= bird(pingu)
%= bird(tweety)
%= flies(tweety)
%= penguin(pingu)
