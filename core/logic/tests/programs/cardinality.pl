% Constraints over lists of integers, and constraints that say nothing any more.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint wish(?any).
wish(X) ==> integer(X) | writeln(got(X)).

%? X in 1..3, X #\= 2, wish(X)
%= wish(X)
%= X in 1\/3
%? X #> 3, X #< 6, wish(X)
%= wish(X)
%= X in 4..5
%? X in 1..3, Y in 5..9, X #< Y
%= X in 1..3
%= Y in 5..9
%? B #<==> (X #> 3), X in 0..10, B = 1
%= B = 1
%= X in 4..10
%? wish(X), X + 2 #= 5
%= got(3)
%= X = 3
%= wish(3)
%? tuples_in([[X, Y]], [[1, 2], [3, 4], [3, 5]]), Y #> 4
%= X = 3
%= Y = 5
%? global_cardinality([X, Y, Z], [1-2, 2-1]), X = 2
%= X = 2
%= Y = Z
%= Z = 1
%? circuit([X, Y, Z]), findall(X-Y-Z, label([X, Y, Z]), L), length(L, N), wish(N), X = 2
%= got(2)
%= X = N
%= N = 2
%= Y = 3
%= Z = 1
%= L = [2-3-1, 3-1-2]
%= wish(2)
%? lex_chain([[X, Y], [1, 2]]), X = 1, Y = 5
%= the derivation failed
%? chain([X, Y, Z], #<), X in 1..3, Y in 1..3, Z in 1..3
%= X = 1
%= Y = 2
%= Z = 3
%? S in 0..3, cumulative([task(0, 2, _, 1, _), task(S, 2, _, 1, _)], [limit(1)]), findall(S, label([S]), L), S = 3
%= S = 3
%= L = [2, 3]
%? X in 1..3, X in 3..5
%= X = 3
%? X in 1..3, X in 5..9
%= the derivation failed
