% All solutions by their free variables.
age(peter, 7).
age(ann, 11).
age(pat, 8).
age(tom, 5).
age(mike, 11).

%? setof(A - N, age(N, A), L)
%= L = [5-tom, 7-peter, 8-pat, 11-ann, 11-mike]
%? bagof(N, age(N, 11), L)
%= L = [ann, mike]
%? setof(A, N ^ age(N, A), L)
%= L = [5, 7, 8, 11]
%? aggregate_all(count, age(_, _), N), aggregate_all(max(A), age(_, A), M)
%= N = 5
%= M = 11
%? aggregate_all(max(A, N), age(N, A), max(X, Y))
%= X = 11
%= Y = ann
%? aggregate(count, N ^ A ^ age(N, A), C)
%= C = 5
