% Constraints that are taken out of the store at both of its ends, and come back by backtracking.
:- use_module(library(chr)).
:- chr_constraint item(?any), collect(?any), first(?any), stop.

done @ stop, collect(L) <=> L = [].
collect @ item(X), collect(L) <=> L = [X|T], collect(T).
first @ first(X), item(Y) <=> X = Y.

fill(0) :- !.
fill(N) :- item(N), M is N-1, fill(M).

count(N) :- findall(x, find_chr_constraint(item(_)), L), length(L, N).

% Takes some, fails back, and takes all again.
again(N, K) :- fill(N), ( first(A), first(B), first(C), write([A,B,C]), nl, fail ; true ), count(K).
emptied(N, K) :- fill(N), ( collect(_), fail ; true ), ( first(_), fail ; true ), count(K).
all(N, K, M) :- fill(N), collect(L), stop, length(L, K), count(M).

%? findall(A-B-N, (fill(30), first(A), first(B), count(N)), L)
%= L = [1-2-28]
%? findall(K, again(40, K), L)
%= [1,2,3]
%= L = [40]
%? findall(K, emptied(50, K), L)
%= L = [50]
%? findall(K-M, all(300, K, M), L)
%= L = [300-0]
