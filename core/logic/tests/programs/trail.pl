% What a failed branch did is undone, in the store as well.
:- use_module(library(chr)).
:- chr_constraint a(?any), b(?any).
a(X), b(X) <=> true.
try(X) :- ( a(X), b(X), b(2), fail ; a(X) ).

%? try(1)
%= a(1)
%? a(X), ( X = 1, b(1), fail ; b(2) )
%= a(X)
%= b(2)
