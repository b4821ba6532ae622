% A rule fires once for the same constraints, also after a variable was bound.
:- use_module(library(chr)).
:- chr_constraint seen(?any), note(?any).
seen(X) ==> note(X).
go(X) :- seen(X), X = 1.

%? go(X)
%= X = 1
%= seen(1)
%= note(1)
%? seen(X), seen(X)
%= seen(X)
%= seen(X)
%= note(X)
%= note(X)
