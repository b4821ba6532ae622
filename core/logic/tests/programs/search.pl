% Rules with a choice in their body.
:- use_module(library(chr)).
:- chr_constraint bit(?any), differ(?any, ?any).
differ(X, X) <=> fail.
bit(X) <=> ( X = 0 ; X = 1 ).

%? differ(X, Y), bit(X), bit(Y)
%= X = 0
%= Y = 1
%= differ(0, 1)
%? findall(X - Y, ( bit(X), bit(Y) ), L)
%= L = [0-0, 0-1, 1-0, 1-1]
