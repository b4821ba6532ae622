% Lists taken apart by clauses that search.
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).

%? app(X, [c], [a, b, c])
%= X = [a, b]
%? findall(X-Y, app(X, Y, [1, 2]), L)
%= L = [[]-[1, 2], [1]-[2], [1, 2]-[]]
%? app([1|T], [3], L), T = [2]
%= T = [2]
%= L = [1, 2, 3]
