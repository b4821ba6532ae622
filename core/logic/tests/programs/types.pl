% Columns with modes and types.
:- use_module(library(chr)).
:- chr_type color ---> red ; green ; rgb(int, int, int).
:- chr_constraint paint(?color), price(+int, ?any).
paint(red) \ price(N, P) <=> P is N * 2.
ask(N, P) :- price(N, P).

%? ask(3, P), paint(red)
%= P = 6
%= paint(red)

:- chr_type row(T) ---> none ; cell(T, row(T)).
:- chr_type tagged ---> tag(any, int).
:- chr_type whole == any.
:- chr_constraint row(?row(any)), loose(?any), tagged(?tagged), whole(?whole).

%? row(cell(X, none))
%= row(cell(X, none))
%= when(nonvar(X), once('$dynamic_type_check'(any, X)))
%? row(L), L = cell(X, R)
%= L = cell(X, R)
%= row(cell(X, R))
%= when(nonvar(X), once('$dynamic_type_check'(any, X)))
%= when(nonvar(R), once('$dynamic_type_check'(row(any), R)))
%? row(cell(X, none)), X = f(_), loose(_)
%= X = f(_1)
%= row(cell(f(_1), none))
%= loose(_2)
%? tagged(tag(X, Y)), Y = 1
%= Y = 1
%= tagged(tag(X, 1))
%? whole(X)
%= whole(X)
%= when(nonvar(X), once('$dynamic_type_check'(whole, X)))
