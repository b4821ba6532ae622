% Constraints over integers beside rules.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint less(?any, ?any), seen(?any).
less(X, Y) <=> X #< Y, X in 1..3, Y in 1..3.

puzzle([S, E, N, D] + [M, O, R, E] = [M, O, N, E, Y]) :-
    Vs = [S, E, N, D, M, O, R, Y], Vs ins 0..9, all_different(Vs),
    S*1000 + E*100 + N*10 + D + M*1000 + O*100 + R*10 + E #=
        M*10000 + O*1000 + N*100 + E*10 + Y,
    M #\= 0, S #\= 0.
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [R|Rs], D) :- Q #\= R, abs(Q - R) #\= D, E is D+1, no_attack(Q, Rs, E).
pairs(L) :- less(X, Y), findall(X-Y, label([X, Y]), L).
letters(X) :- puzzle(X), term_variables(X, Vs), label(Vs).
best(X, Y) :- [X, Y] ins 0..10, X + 2*Y #=< 14, 3*X - Y #>= 0, X - Y #=< 2, once(labeling([max(X + Y)], [X, Y])).
fact(0, 1).
fact(N, F) :- N #> 0, M #= N - 1, F #= N * G, fact(M, G).
%? pairs(L)
%= L = [1-2, 1-3, 2-3]
%? letters(X)
%= X = ([9, 5, 6, 7]+[1, 0, 8, 5]=[1, 0, 6, 5, 2])
%? queens(6, Qs)
%= Qs = [2, 4, 6, 1, 3, 5]
%? best(X, Y)
%= X = 6
%= Y = 4
%? X + Y #= 5, X #= 2
%= X = 2
%= Y = 3
%? X in 1..5, X #> 2, X #\= 4, fd_dom(X, D), seen(D), X = 3
%= X = 3
%= D = 3\/5
%= seen(3\/5)
%? X #> 3, X #< 5
%= X = 4
%? X in 1..3, findall(X, indomain(X), L), X = 1
%= X = 1
%= L = [1, 2, 3]
%? X in 1..3, Y #= X * 2, X = 3
%= X = 3
%= Y = 6
%? fact(5, F), seen(F)
%= F = 120
%= seen(120)
%? B #<==> (3 #> 2)
%= B = 1
%? X in 0..5, (X #> 3) #<==> B, X = 1
%= X = 1
%= B = 0
%? length(L, 3), L ins 0..1, sum(L, #=, 2), findall(L, label(L), R), L = [1, 1, 0]
%= L = [1, 1, 0]
%= R = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
%? X #= 3 + 4, 7 #= Y + 2, Z #= 10 // 3, W #= 10 mod 3
%= X = 7
%= Y = 5
%= Z = 3
%= W = 1
