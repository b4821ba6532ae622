% A balance that deposits and withdrawals change; withdrawals that it does not cover wait.
:- use_module(library(chr)).
:- chr_constraint balance(?any), deposit(?any), withdraw(?any).
balance(B), deposit(A) <=> C is B + A, balance(C).
balance(B), withdraw(A) <=> B >= A | C is B - A, balance(C).
total(Bs, S) :- foldl([B, S0, S1]>>(S1 is S0 + B), Bs, 0, S).

%? total([5], B), balance(B), withdraw(7), deposit(4)
%= B = 5
%= balance(2)
%? total([1], B), balance(B), withdraw(3)
%= B = 1
%= balance(1)
%= withdraw(3)
%? total([1, 2, 3], S), balance(S)
%= S = 6
%= balance(6)
