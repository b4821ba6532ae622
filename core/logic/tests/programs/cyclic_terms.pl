% Terms that hold themselves: answers, output, comparisons.
:- use_module(library(chr)).
:- chr_constraint seen(?).
seen(X) \ seen(X) <=> true.
p(1).

%? _Y = f(_Y), X = g(_Y)
%= _Y = f(_Y)
%= X = g(_Y)
%? X = f(X, _, Z, Y)
%= X = f(X, _1, Z, Y)
%? _X = [a|_X], Y = [_X, _X], Z = k(Y)
%= _X = [a|_X]
%= Y = [_X, _X]
%= Z = k([_X, _X])
%? X = f(X), copy_term(X, Y)
%= X = Y
%= Y = f(Y)
%? X = f(X), write(X), nl, print(X), nl, writeq(g(X)), nl
%= S_1@[S_1=f(S_1)]
%= S_1@[S_1=f(S_1)]
%= g(S_1)@[S_1=f(S_1)]
%= X = f(X)
%? A = [1|A]
%= A = [1|A]
%? A = [1, 2|B], B = [3|A]
%= A = [1, 2, 3|A]
%= B = [3|A]
%? A = f(B), B = g(A)
%= A = f(g(A))
%= B = g(A)
%? A = f(A), cyclic_term(A)
%= A = f(A)
%? A = f(A), \+ acyclic_term(A), A == f(A)
%= A = f(A)
%? X = f(X), format("~w ~q~n", [X, X])
%= S_1@[S_1=f(S_1)] S_1@[S_1=f(S_1)]
%= X = f(X)
%? X = f(X), Y = f(Y), X = Y, X == Y, write(same)
%= same
%= X = Y
%= Y = f(Y)
