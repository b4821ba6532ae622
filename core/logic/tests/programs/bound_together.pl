% Which constraints a binding wakes: those of the variable that is bound, where their heads have variables alone; and
% attributes that copies keep.
:- use_module(library(chr)).
:- use_module(library(clpfd)).
:- chr_constraint d/2, first/2, guarded/2, rm/1, plain/1, half/1, any/1, asked/1.

rm(A), d(A, _) <=> true.
d(X, A), d(X, B) <=> C is A+B, d(X, [A, B], C).
first(X, _) \ first(X, _) <=> true.
guarded(X, A), guarded(X, B) <=> var(X) | b_getval(seen, S), b_setval(seen, [A-B|S]).

% A binding in a column that no head and no guard looks at wakes nothing.
plain(X) ==> note(first), X = 1, note(behind).
plain(X) <=> note(second(X)).
half(Z), half(X) # passive ==> note(half(X, Z)).
any(Z), asked(X) ==> X == 1 | note(any(Z, X)).
note(T) :- b_getval(seen, S), b_setval(seen, [T|S]).

d(X, S, C) :- b_getval(seen, Seen), b_setval(seen, [S|Seen]), d(X, C).
seen(G, L) :- b_setval(seen, []), call(G), b_getval(seen, L).
left(G, L) :- call(G), findall(N, find_chr_constraint(first(_, N)), L).

%? findall(L, seen((d(A, 1), d(B, 2), A = B), L), Ls)
%= Ls = [[[2, 1]]]
%? findall(L, seen((d(A, 1), d(B, 2), B = A), L), Ls)
%= Ls = [[[2, 1]]]
%? findall(L, seen((d(A, 1), d(B, 2), p(A, B) = p(c, c)), L), Ls)
%= Ls = [[[1, 2]]]
%? findall(L, seen((d(A, 1), d(B, 2), p(B, A) = p(c, c)), L), Ls)
%= Ls = [[[2, 1]]]
%? findall(L, seen((d(A, 1), d(B, 2), d(C, 4), A = B, B = C), L), Ls)
%= Ls = [[[3, 4], [2, 1]]]
%? findall(L, seen((d(A, 1), d(B, 2), d(C, 4), d(D, 8), A = B, C = D, A = C), L), Ls)
%= Ls = [[[12, 3], [8, 4], [2, 1]]]
%? findall(L, seen((d(A, 1), d(B, 2), rm(A), d(A, 8), A = B), L), Ls)
%= Ls = [[[8, 2]]]
%? findall(L, seen((freeze(A, true), d(A, 1), d(B, 2), rm(A), d(A, 8), A = B), L), Ls)
%= Ls = [[[2, 8]]]
%? findall(L, seen((guarded(A, 1), guarded(B, 2), A = B), L), Ls)
%= Ls = [[1-2]]
%? findall(L, seen((d(A, 1), d(B, 2), A = c, B = c), L), Ls)
%= Ls = [[[2, 1]]]
%? findall(L, left((first(A, 1), first(B, 2), A = B), L), Ls)
%= Ls = [[1]]
%? findall(L, left((first(A, 1), first(B, 2), first(C, 3), B = C, A = C), L), Ls)
%= Ls = [[1]]
%? findall(D, ( X in 1..3, findall(X, true, [Y]), fd_dom(Y, D) ), L)
%= L = [1..3]
%? findall(R, ( dif(X, a), findall(X, true, [Y]), ( Y = a -> R = yes ; R = no ) ), L)
%= L = [no]
%? findall(W, ( freeze(X, Z = woken), findall(X-Z, true, [Y-W]), Y = 1 ), L)
%= L = [woken]
%? findall(D, ( X in 1..3, nb_setval(k, X), nb_getval(k, Y), fd_dom(Y, D) ), L)
%= L = [1..3]
%? findall(D, ( X in 1..3, catch(throw(b(X)), b(Y), true), fd_dom(Y, D) ), L)
%= L = [1..3]
%? findall(D, ( X in 0..5, Y in 0..5, X #> Y, findall(X-Y, true, [A-B]), A #= 3, fd_dom(B, D) ), L)
%= L = [0..2]
%? findall(L, seen(plain(_), L), Ls)
%= Ls = [[second(1), behind, first]]
%? findall(L, seen((half(f(A)), half(2), A = 1), L), Ls)
%= Ls = [[half(f(1), 2)]]
%? findall(L, seen((asked(D), any(D), any(b), D = 1), L), Ls)
%= Ls = [[any(1, 1), any(b, 1)]]
