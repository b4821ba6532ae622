% Two sorted lists and a merge sort.
:- use_module(library(chr)).
:- chr_constraint run(?any), done(?any).
run(A), run(B) <=> merged(A, B, C), run(C).
done(L), run(A) <=> L = A.
merged([], L, L) :- !.
merged(L, [], L) :- !.
merged([X|Xs], [Y|Ys], [X|Zs]) :- X =< Y, !, merged(Xs, [Y|Ys], Zs).
merged(Xs, [Y|Ys], [Y|Zs]) :- merged(Xs, Ys, Zs).
sorted(L, S) :- maplist([X]>>run([X]), L), done(S).

%? sorted([3, 1, 2, 1], S)
%= S = [1, 1, 2, 3]
