% A module declares an operator for all texts: terms are written by it, too.
:- module(glue, ['~>'/2, join/1]).
:- use_module(library(chr)).
:- op(700, xfx, user:(~>)).
:- op(200, xfy, user:then).
:- op(200, xfy, inner).
:- chr_constraint ~>(?, ?), join(?).
X ~> Y, Y ~> Z ==> X ~> (Z then end).
join(X) <=> X = (a inner b).
%? '~>'(a, B), '~>'(B, c)
%= a~>c then end
%= B~>c
%= a~>B
%? join(X)
%= X = inner(a, b)
