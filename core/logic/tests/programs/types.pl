% Columns with modes and types.
:- use_module(library(chr)).
:- chr_type color ---> red ; green ; rgb(int, int, int).
:- chr_constraint paint(?color), price(+int, ?any).
paint(red) \ price(N, P) <=> P is N * 2.
ask(N, P) :- price(N, P).

%? ask(3, P), paint(red)
%= P = 6
%= paint(red)
