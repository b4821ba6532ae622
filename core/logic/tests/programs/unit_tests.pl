% Tests in units: what they add to the store is taken back.
:- use_module(library(chr)).
:- use_module(library(plunit)).
:- chr_constraint coin(?any), total(?any).
coin(V), total(S) <=> S1 is S+V, total(S1).

:- begin_tests(money).
test(sum) :- total(0), coin(5), coin(2), find_chr_constraint(total(7)).
test(sum_of_bound, [true(S == 3)]) :- total(1), coin(2), find_chr_constraint(total(S)).
test(none, [fail]) :- total(1), find_chr_constraint(coin(_)).
test(wrong_value, error(type_error(evaluable, _))) :- total(0), coin(penny).
test(all_values, all(X == [1, 2])) :- member(X, [1, 2]), coin(X).
test(each, [forall(member(V, [1, 2, 3])), nondet, W =:= V + 1]) :- total(1), coin(V), find_chr_constraint(total(W)).
test(later, [blocked(not_yet)]) :- fail.
helper(1).
test(sees_helpers, H == 1) :- helper(H).
:- end_tests(money).

:- begin_tests(broken).
test(never) :- coin(1), fail.
:- end_tests(broken).

%? run_tests(money), coin(3)
%= coin(3)
%? run_tests(broken)
%= the derivation failed
%? run_tests(money:[sum, none])
%= true
%? total(0), coin(4), find_chr_constraint(total(X))
%= X = 4
%= total(4)
