% A position is won if some move loses.
move(N, M) :- between(1, 3, K), M is N - K, M >= 0.
won(N) :- move(N, M), \+ won(M), !.

%? findall(N, ( between(1, 9, N), won(N) ), L)
%= L = [1, 2, 3, 5, 6, 7, 9]
%? won(4)
%= the derivation failed
