% Three regions, no neighbours of one colour.
:- use_module(library(chr)).
:- chr_constraint differ(?any, ?any).
differ(X, X) <=> fail.
differ(X, Y) <=> ground(X - Y) | true.
color(red).
color(green).
color(blue).
paint(A, B, C) :- differ(A, B), differ(B, C), differ(A, C), color(A), color(B), color(C).

%? paint(A, B, C)
%= A = red
%= B = green
%= C = blue
%? paint(A, green, C)
%= A = red
%= C = blue
%? differ(X, Y)
%= differ(X, Y)
