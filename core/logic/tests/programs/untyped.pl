% Without debugging nothing checks the types of columns.
:- use_module(library(chr)).
:- chr_option(optimize, full).
:- chr_type colour ---> red ; green.
:- chr_constraint cell(+int, ?colour), paint(?colour).

paint(C), cell(N, C) <=> true.

%? cell(a, blue)
%= cell(a, blue)
%? cell(X0, red), X0 = 1, paint(Y)
%= X0 = 1
%= cell(1, red)
%= paint(Y)
