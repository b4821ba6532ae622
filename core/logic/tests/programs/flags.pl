% Text in double quotes as codes.
:- set_prolog_flag(double_quotes, codes).
vowels([], 0).
vowels([C|Cs], N) :- vowels(Cs, M), ( memberchk(C, "aeiou") -> N is M + 1 ; N = M ).

%? vowels("constraint", N)
%= N = 3
%? vowels("", N), X = "ab"
%= N = 0
%= X = [97, 98]
