% Soft cuts, once, ignore, forall and limits of solutions.
n(1).
n(2).
n(3).

%? findall(X, ( n(X) *-> true ; X = 0 ), L), findall(X, ( fail *-> true ; X = 0 ), M)
%= L = [1, 2, 3]
%= M = [0]
%? once(n(X)), ignore(fail), forall(n(Y), Y > 0)
%= X = 1
%? findall(X, limit(2, n(X)), L)
%= L = [1, 2]
%? catch(( n(X), X > 1, throw(found(X)) ), found(Y), true)
%= Y = 2
