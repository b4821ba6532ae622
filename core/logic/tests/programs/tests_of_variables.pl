% var, nonvar and attvar, before and after.
:- use_module(library(chr)).
:- chr_constraint holds(?any), drop(?any).
drop(X), holds(X) <=> true.
kind(X, K) :- ( attvar(X) -> K = attributed ; var(X) -> K = free ; K = bound ).

%? holds(X), kind(X, K)
%= K = attributed
%= holds(X)
%? holds(X), drop(X), kind(X, K)
%= K = free
%? kind(X, K), kind(a, L)
%= K = free
%= L = bound
