% Constraints over integers: what they leave in domains, and how answers show them.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint seen(?).
grid(Rows) :- length(Rows, 9), maplist(same_length(Rows), Rows), append(Rows, Vs), Vs ins 1..9,
    maplist(all_distinct, Rows), transpose(Rows, Columns), maplist(all_distinct, Columns), bands(Rows).
bands([]).
bands([A, B, C|Rows]) :- boxes(A, B, C), bands(Rows).
boxes([], [], []).
boxes([A, B, C|As], [D, E, F|Bs], [G, H, I|Cs]) :- all_distinct([A, B, C, D, E, F, G, H, I]), boxes(As, Bs, Cs).
given([[5, 3, _, _, 7, _, _, _, _], [6, _, _, 1, 9, 5, _, _, _], [_, 9, 8, _, _, _, _, 6, _],
       [8, _, _, _, 6, _, _, _, 3], [4, _, _, 8, _, 3, _, _, 1], [7, _, _, _, 2, _, _, _, 6],
       [_, 6, _, _, _, _, 2, 8, _], [_, _, _, 4, 1, 9, _, _, 5], [_, _, _, _, 8, _, _, 7, 9]]).
last_row(R) :- given(Rows), grid(Rows), ground(Rows), nth1(9, Rows, R).
alternating(L) :- automaton(L, [source(a), sink(a), sink(b)], [arc(a, 0, b), arc(b, 1, a)]).
%? last_row(R)
%= R = [3, 4, 5, 2, 8, 6, 1, 7, 9]
%? X*X #= 144
%= X in -12\/12
%? X // 2 #= 3
%= X in 6..7
%? 2^Y #= 16
%= Y = 4
%? X in 1..10, X mod 3 #= 0
%= X in 3..9
%= X mod 3#=0
%? X + Y #= 10, X - Y #= 2
%= 2+Y#=X
%= X+Y#=10
%? X #> 3 #\/ X #< 2, X in 0..5, findall(X, label([X]), L), X = 4
%= X = 4
%= L = [0, 1, 4, 5]
%? X in 0..5, X #= 1 #\/ X #= 2
%= X in 1..2
%? [X, Y, Z] ins 1..3, X in 1..2, Y in 1..2, all_distinct([X, Y, Z])
%= Z = 3
%= X in 1..2
%= all_distinct([X, Y, 3])
%= Y in 1..2
%? [X, Y, Z] ins 1..2, all_distinct([X, Y, Z])
%= the derivation failed
%? length(L, 3), alternating(L)
%= L = [0, 1, 0]
%? X in 1..5, findall(X, labeling([max(X mod 3), down], [X]), L), X = 1
%= X = 1
%= L = [5, 2, 4, 1, 3]
%? X in 0..5, B #<==> (X #> 3)
%= X in 0..5
%= X#>=4#<==>B
%= B in 0..1
%? 10 #= X*Y, [X, Y] ins 1..10, findall(X*Y, label([X, Y]), L), X = 2
%= X = 2
%= Y = 5
%= L = [1*10, 2*5, 5*2, 10*1]
%? catch(X #= foo, error(E, _), true)
%= E = domain_error(clpfd_expression, foo)
