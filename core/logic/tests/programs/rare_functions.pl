% Functions of arithmetic that few programs use.
:- use_module(library(chr)).
:- chr_constraint value(?any).
value(E) <=> X is E, print(X), nl.

%? X is 2 ^ (-1), Y is lcm(4, 6), Z is lcm(0, 3)
%= X = 0.5
%= Y = 12
%= Z = 0
%? X is powm(3, 4, 5), Y is powm(2, 100, 1000000007)
%= X = 1
%= Y = 976371285
%? X is popcount(255), Y is popcount(1 << 100), Z is getbit(5, 0), W is getbit(5, 1)
%= X = 8
%= Y = Z
%= Z = 1
%= W = 0
%? X is lsb(8), Y is msb(1000), catch(Z is msb(0), error(E, _), true)
%= X = 3
%= Y = 9
%= E = domain_error(not_less_than_one, 0)
%? X is nexttoward(1, 2), Y is numerator(3) + denominator(3), Z is rational(2.0)
%= X = 1.0000000000000002
%= Y = 4
%= Z = 2
%? E = lcm(2, 3) + 1, value(E), freeze(_, true)
%= 7
%= E = lcm(2, 3)+1
