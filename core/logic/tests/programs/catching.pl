% Errors of rules and clauses are caught outside of them.
:- use_module(library(chr)).
:- chr_constraint sum(?any), known(?any).
sum(X) <=> Y is X + 1, known(Y).
safe(G, E) :- catch(G, error(E, _), true).

%? safe(sum(a), E)
%= E = type_error(evaluable, a/0)
%? safe(sum(1), E)
%= known(2)
%? catch((known(1), throw(stop(now))), stop(X), true)
%= X = now
%? catch(arg(x, f(a), _), error(E, _), true)
%= E = type_error(integer, x)
%? findall(N-A, arg(N, f(a, b), A), L)
%= L = [1-a, 2-b]
