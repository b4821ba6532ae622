% Several aggregates of the same solutions.
score(ann, maths, 3). score(bob, maths, 5). score(ann, music, 5). score(cid, music, 1).

%? aggregate_all(r(count, sum(S), max(S), min(S, N)), score(N, _, S), R)
%= R = r(4, 14, 5, min(1, cid))
%? aggregate_all(all(count, bag(N), set(N)), score(N, _, 5), R)
%= R = all(2, [bob, ann], [ann, bob])
%? aggregate_all(none(count, bag(N)), score(N, art, _), R)
%= R = none(0, [])
%? findall(N-R, aggregate(of(count, max(S, T)), score(N, T, S), R), L)
%= L = [ann-of(2, max(5, music)), bob-of(1, max(5, maths)), cid-of(1, max(1, music))]
%? aggregate(sum(S), T, N^score(N, T, S), R)
%= R = 14
%? aggregate(count, N, T^S^score(N, T, S), R)
%= R = 3
