% Sequences of solutions.
:- use_module(library(chr)).
:- use_module(library(solution_sequences)).
:- chr_constraint seen(?any).
p(b, 2). p(a, 1). p(b, 1). p(a, 3).
%? findall(X, distinct(X, p(X, _)), L)
%= L = [b, a]
%? findall(X-Y, order_by([asc(X), desc(Y)], p(X, Y)), L)
%= L = [a-3, a-1, b-2, b-1]
%? call_nth(p(X, Y), 3)
%= X = b
%= Y = 1
%? findall(N-X, call_nth(p(X, _), N), L)
%= L = [1-b, 2-a, 3-b, 4-a]
%? findall(X, offset(2, p(X, _)), L)
%= L = [b, a]
%? findall(X, limit(2, offset(1, p(X, _))), L)
%= L = [a, b]
%? foreach(member(X, [1, 2]), dif(X, Y)), seen(Y), Y = 3
%= Y = 3
%= seen(3)
%? setup_call_catcher_cleanup(true, member(X, [1]), C, true)
%= X = 1
%= C = exit
%? foldl([X, Y, Z, V0, V]>>(V is V0+X*Y*Z), [1, 2], [3, 4], [5, 6], 0, S)
%= S = 63
%? max_member([A, B]>>(A @=< B), M, [1, 3, 2])
%= M = 3

pair(1, b, x). pair(2, a, y). pair(1, a, x). pair(2, c, z).

%? findall(K-Vs, group_by(K, V, pair(K, V, _), Vs), L)
%= L = [1-[b, a], 2-[a, c]]
