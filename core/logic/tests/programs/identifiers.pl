% Removing one of two equal constraints, named by a mark.
:- use_module(library(chr)).
:- chr_constraint item(?any), total(?any).
item(X) # Id, item(X) <=> total(X) pragma passive(Id).
start(X) :- item(X), item(X), item(X).

%? start(Y)
%= item(Y)
%= total(Y)
