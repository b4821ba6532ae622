% Insertion into search trees and their walk.
insert(V, t, t(t, V, t)).
insert(V, t(L, W, R), T) :- compare(O, V, W), insert(O, V, L, W, R, T).
insert(<, V, L, W, R, t(M, W, R)) :- insert(V, L, M).
insert(=, V, L, _, R, t(L, V, R)).
insert(>, V, L, W, R, t(L, W, S)) :- insert(V, R, S).
walk(t) --> [].
walk(t(L, V, R)) --> walk(L), [V], walk(R).
sorted(L, S) :- foldl(insert, L, t, T), phrase(walk(T), S).

%? sorted([3, 1, 2, 1], S)
%= S = [1, 2, 3]
%? insert(1, t, T)
%= T = t(t, 1, t)
