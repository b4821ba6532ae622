% Rational numbers: how they are written, their arithmetic, their order, and constraints that hold them.
:- use_module(library(chr)).
:- chr_constraint r(?any), s(+number), q(?any, ?any), half(+any).
:- dynamic fact/1.
r(X), r(Y) <=> rational(X), rational(Y) | Z is X + Y, r(Z).
q(X, A) \ q(X, B) <=> A =< B | true.
half(N) <=> N > 1r10 | M is N / 2, half(M).
try(G) :- catch(G, E, true), ( var(E) -> true ; E = error(F, _) -> \+ \+ ( numbervars(F, 0, _), print(ball(F)), nl ) ; print(ball(E)), nl ).
v(E) :- catch(( X is E, print(X), nl ), error(F, _), ( print(ball(F)), nl )).

%? X = 1r3
%= X = 1r3
%? X = 2r4, Y = 1r2, X == Y
%= X = Y
%= Y = 1r2
%? X = -1r3
%= X = -1r3
%? X = 3r1, integer(X)
%= X = 3
%? X = 0r5
%= X = 0
%? X is 1 rdiv 3
%= X = 1r3
%? X is 2 rdiv 4
%= X = 1r2
%? X is 4 rdiv 2
%= X = 2
%? try(X is 1 rdiv 0)
%= ball(evaluation_error(zero_divisor))
%= true
%? try(X is 1.5 rdiv 2)
%= ball(type_error(rational,1.5))
%= true
%? X is 1r3 + 1r6
%= X = 1r2
%? X is 1r3 - 1r3
%= X = 0
%? X is 1r3 * 3
%= X = 1
%? X is 1r3 / 2
%= X = 1r6
%? X is 1r3 / 1r3
%= X = 1
%? X is 1 / 1r3
%= X = 3
%? X is 2 / 3
%= X = 0.6666666666666666
%? X is 4 / 2
%= X = 2
%? X is 1r3 + 0.5
%= X = 0.8333333333333333
%? X is 0.5 * 1r3
%= X = 0.16666666666666666
%? X is 1r3 + 1
%= X = 4r3
%? X is -(1r3)
%= X = -1r3
%? X is abs(-1r3)
%= X = 1r3
%? X is sign(-1r3)
%= X = -1
%? X is sign(1r3)
%= X = 1
%? X is max(1r3, 0.3), Y is min(1r3, 0.3)
%= X = 1r3
%= Y = 0.3
%? X is max(1r2, 0.5), Y is min(1r2, 0.5)
%= X = Y
%= Y = 0.5
%? X is max(1r3, 1), Y is min(1r3, 0)
%= X = 1
%= Y = 0
%? X is truncate(7r2), Y is truncate(-7r2)
%= X = 3
%= Y = -3
%? X is round(7r2), Y is round(-7r2), Z is round(1r3)
%= X = 4
%= Y = -4
%= Z = 0
%? X is integer(7r2), Y is integer(-7r2), Z is integer(5r3)
%= X = 4
%= Y = -4
%= Z = 2
%? X is floor(7r2), Y is floor(-7r2)
%= X = 3
%= Y = -4
%? X is ceiling(7r2), Y is ceiling(-7r2)
%= X = 4
%= Y = -3
%? X is float(1r3)
%= X = 0.3333333333333333
%? X is float_integer_part(7r2), Y is float_integer_part(-7r2)
%= X = 3
%= Y = -3
%? X is float_fractional_part(7r2), Y is float_fractional_part(-7r2)
%= X = 1r2
%= Y = -1r2
%? X is numerator(6r4), Y is denominator(6r4)
%= X = 3
%= Y = 2
%? X is numerator(5), Y is denominator(5)
%= X = 5
%= Y = 1
%? try(X is numerator(0.5))
%= ball(type_error(rational,0.5))
%= true
%? X is rational(0.25)
%= X = 1r4
%? X is rational(0.1)
%= X = 3602879701896397r36028797018963968
%? X is rationalize(0.1)
%= X = 1r10
%? try(X is rational(inf))
%= ball(evaluation_error(rational_overflow))
%= true
%? X is rationalize(5), Y is rational(5), Z is rationalize(1r3)
%= X = Y
%= Y = 5
%= Z = 1r3
%? X is rational(1e20), Y is rationalize(1e20), Z is rationalize(1e-10)
%= X = Y
%= Y = 100000000000000000000
%= Z = 1r10000000000
%? X is 1r3 ** 2
%= X = 1r9
%? X is 1r3 ^ 2
%= X = 1r9
%? X is 1r3 ** -2
%= X = 9
%? X is 1r3 ^ -2
%= X = 9
%? try(X is 2 ^ -1)
%= X = 0.5
%? X is 2 ** -1
%= X = 0.5
%? X is 2 ** 1r2
%= X = 1.4142135623730951
%? try(X is 2 ^ 1r2)
%= X = 1.4142135623730951
%? X is 4 ** 1r2
%= X = 2
%? X is 1r4 ** 1r2
%= X = 1r2
%? X is 1r3 ** 0, Y is 1r3 ^ 0
%= X = Y
%= Y = 1
%? X is 1r3 ** 2.0
%= X = 0.1111111111111111
%? X is 2.0 ** 1r3
%= X = 1.2599210498948732
%? X is 0 ** 1r2
%= X = 0
%? X is 1 ** 1r2
%= X = 1
%? try(X is (-8) ** 1r3)
%= X = -2
%? try(X is 0r1 ** -1)
%= ball(evaluation_error(zero_divisor))
%= true
%? X is 2r3 ^ 100
%= X = 1267650600228229401496703205376r515377520732011331036461129765621272702107522001
%? X is 1r3 ** 1
%= X = 1r3
%? try(X is 1r3 mod 2)
%= ball(type_error(integer,1r3))
%= true
%? try(X is 1r3 // 2)
%= ball(type_error(integer,1r3))
%= true
%? try(X is gcd(1r3, 2))
%= ball(type_error(integer,1r3))
%= true
%? try(X is 1r3 >> 1)
%= ball(type_error(integer,1r3))
%= true
%? try(X is msb(1r3))
%= ball(type_error(integer,1r3))
%= true
%? try(X is \ 1r3)
%= ball(type_error(integer,1r3))
%= true
%? try(X is succ(1r3))
%= ball(type_error(evaluable,succ/1))
%= true
%? try(X is 1r3 div 2)
%= ball(type_error(integer,1r3))
%= true
%? try(X is 1r3 rem 2)
%= ball(type_error(integer,1r3))
%= true
%? try(X is truncate(a))
%= ball(type_error(evaluable,a/0))
%= true
%? X is sqrt(1r4)
%= X = 0.5
%? X is sin(1r3)
%= X = 0.3271946967961522
%? X is exp(1r2)
%= X = 1.6487212707001282
%? X is log(1r2)
%= X = -0.6931471805599453
%? X is atan2(1r2, 1)
%= X = 0.4636476090008061
%? X is copysign(1r3, -1)
%= X = -1r3
%? X is 1r3 + pi
%= X = 3.4749259869231266
%? 1r3 =:= 2r6
%= true
%? 1r3 < 0.5
%= true
%? 1r3 > 0.3333
%= true
%? 1r3 =:= 0.3333333333333333
%= true
%? 1r4 =:= 0.25
%= true
%? 1r3 =\= 1
%= true
%? 1r3 < 1, 4r3 > 1, -1r3 < 0, 1r3 =< 1r2
%= true
%? 1r2 = 0.5
%= the derivation failed
%? 1r2 == 1r2, 1r2 \== 1r3
%= true
%? compare(O, 1r2, 0.5), compare(P, 1r2, 1), compare(Q, 1r2, 0.25)
%= O = Q
%= Q = (>)
%= P = (<)
%? msort([1, 0.5, 1r2, a, 1r3, "s", 0, 0.25, f(x), -1r2, 1.0], L)
%= L = [-1r2, 0, 0.25, 1r3, 0.5, 1r2, 1.0, 1, "s", a, f(x)]
%? sort(0, @>=, [1r2, 0.5, 1r3, 1r2], L)
%= L = [1r2, 1r2, 0.5, 1r3]
%? rational(1r3), rational(3), \+ rational(0.5), \+ rational(a), \+ rational(_)
%= true
%? rational(1r3, N, D)
%= N = 1
%= D = 3
%? rational(5, N, D)
%= N = 5
%= D = 1
%? rational(0.5, N, D)
%= the derivation failed
%? number(1r3), atomic(1r3), \+ integer(1r3), \+ float(1r3), \+ atom(1r3), nonvar(1r3), ground(1r3), \+ compound(1r3), \+ callable(1r3)
%= true
%? print(1r3), nl, write(-1r3), nl, print(- 1r3), nl, print(-(1r3)), nl, print(1 - -1r3), nl, print(1r3 - 2), nl
%= 1r3
%= -1r3
%= - 1r3
%= - 1r3
%= 1- -1r3
%= 1r3-2
%= true
%? print(f(1r3, -1r3)), nl, print([1r3]), nl, print(1r3 ^ 2), nl, print((-1r3) ^ 2), nl, print(- (-1r3)), nl, print(2 ^ 1r3), nl, print(a = 1r3), nl, print(1r3 + 1r3), nl, print((1r3)), nl
%= f(1r3,-1r3)
%= [1r3]
%= 1r3^2
%= -1r3^2
%= - -1r3
%= 2^1r3
%= a=1r3
%= 1r3+1r3
%= 1r3
%= true
%? write_canonical(1r3), nl, writeq('1r3'), nl
%= 1r3
%= '1r3'
%= true
%? format("~w ~q ~p~n", [1r3, 1r3, -1r3])
%= 1r3 1r3 -1r3
%= true
%? try(format("~d~n", [1r3]))
%= ball(format_argument_type(d,1r3))
%= true
%? format("~2f ~4f ~0f~n", [1r3, 2r3, 5r2])
%= 0.33 0.6667 3
%= true
%? format("~2e~n", [1r3])
%= 3.33e-01
%= true
%? try(format("~a~n", [1r3]))
%= 1r3
%= true
%? atom_number('1r3', X)
%= X = 1r3
%? atom_number(A, 1r3)
%= A = '1r3'
%? number_codes(X, "1r3"), number_codes(1r3, L), atom_codes(A, L)
%= X = 1r3
%= L = [49, 114, 51]
%= A = '1r3'
%? atom_length(1r3, L)
%= L = 3
%? atom_chars(1r3, L)
%= L = ['1', r, '3']
%? term_to_atom(1r3, A)
%= A = '1r3'
%? term_to_atom(X, 'f(1r3, -2r6)')
%= X = f(1r3, -1r3)
%? atom_string(1r3, S), number_string(N, "2r6")
%= S = "1r3"
%= N = 1r3
%? term_string(T, "1r3 + x")
%= T = 1r3+x
%? atomic_list_concat([a, 1r3, b], '-', A)
%= A = 'a-1r3-b'
%? split_string("1r3,2r3", ",", "", P), maplist([S, N]>>number_string(N, S), P, Ns)
%= P = ["1r3", "2r3"]
%= Ns = [1r3, 2r3]
%? try(atom_number('1r0', X))
%= the derivation failed
%? try(atom_number('1r-3', X))
%= the derivation failed
%? atom_number('-1r3', X)
%= X = -1r3
%? atom_number('1 r 3', X)
%= the derivation failed
%? atom_number('1.0r3', X)
%= the derivation failed
%? atom_number('0x10r3', X)
%= the derivation failed
%? atom_number('1r03', X)
%= X = 1r3
%? X = "1r3", Y = '1r3', Z = r3
%= X = "1r3"
%= Y = '1r3'
%= Z = r3
%? copy_term(f(1r3, X), Y)
%= Y = f(1r3, _1)
%? findall(X, member(X, [1r3, 2r3]), L), sum_list(L, S)
%= L = [1r3, 2r3]
%= S = 1
%? assertz(fact(1r3)), fact(X), fact(1r3), \+ fact(0.5)
%= X = 1r3
%? nb_setval(k, 1r3), nb_getval(k, V)
%= V = 1r3
%? X = f(1r3), arg(1, X, A), X =.. L
%= X = f(1r3)
%= A = 1r3
%= L = [f, 1r3]
%? length(L, 2), L = [1r3|_]
%= L = [1r3, _1]
%? try(length(L, 1r2))
%= ball(type_error(integer,1r2))
%= true
%? try(arg(1r2, f(a), X))
%= ball(type_error(integer,1r2))
%= true
%? try(functor(T, 1r3, 0))
%= T = 1r3
%? T = 1r3, functor(T, N, A)
%= T = N
%= N = 1r3
%= A = 0
%? sum_list([1r3, 1r6, 1r2], S), max_list([1r3, 1r2], M), min_list([1r3, 0.1], N)
%= S = 1
%= M = 1r2
%= N = 0.1
%? foldl([X, A, B]>>(B is A + 1 rdiv X), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0, H)
%= H = 7381r2520
%? numlist(1, 30, L), foldl([X, A, B]>>(B is A + 1 rdiv X), L, 0, H)
%= L = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
%= H = 9304682830147r2329089562800
%? r(1r2), r(1r3)
%= r(5r6)
%? r(1r2), r(1), r(X)
%= r(X)
%= r(3r2)
%? s(1r2)
%= s(1r2)
%? q(a, 1r2), q(a, 1r3), q(a, 0.4)
%= q(a, 1r3)
%? half(1)
%= half(0.0625)
%? r(X), X = 1r2, r(1r3)
%= X = 1r2
%= r(5r6)
%? term_variables(f(1r3, X), L)
%= L = [X]
%? X = 1r3, Y = 2r6, ?=(X, Y), unify_with_occurs_check(X, Y)
%= X = Y
%= Y = 1r3
%? must_be(rational, 1r3), try(must_be(integer, 1r3)), try(must_be(rational, 0.5)), is_of_type(number, 1r3)
%= ball(type_error(integer,1r3))
%= ball(type_error(rational,0.5))
%= true
%? between(1, 3, X), Y is X rdiv 3
%= X = 1
%= Y = 1r3
%? 1r3 =@= 1r3, \+ 1r3 =@= 1r2
%= true
%? X is 1r3, integer(X)
%= the derivation failed
%? X is max(1r3, 1r2) + min(1r3, 1r2)
%= X = 5r6
%? X is 7r2 + 1r2, integer(X)
%= X = 4
%? X is nexttoward(1r2, 1)
%= X = 0.5000000000000001
%? X is eval(1r3), Y is + 1r3
%= X = Y
%= Y = 1r3
%? try(succ(X, 1r3))
%= ball(type_error(integer,1r3))
%= true
%? current_prolog_flag(prefer_rationals, X)
%= X = false
%? current_prolog_flag(rational_syntax, X)
%= X = compatibility
%? aggregate_all(sum(X), member(X, [1r3, 1r6]), S)
%= S = 1r2
%? aggregate_all(max(X), member(X, [1r3, 1r6]), S)
%= S = 1r3
%? string_concat(1r3, x, S)
%= S = "1r3x"
%? sub_atom(1r3, 0, 1, _, A)
%= A = '1'
%? number_codes(X, " 1r3")
%= X = 1r3
%? X == 1r3, true
%= the derivation failed
%? 1r3 @< 1, 0.2 @< 1r3, 1r3 @< a
%= true
%? X = '$VAR'(1r3), print(X), nl
%= '$VAR'(1r3)
%= X = '$VAR'(1r3)
%? 1r3 = X, ( X = 1r3 -> Y = same ; Y = other )
%= X = 1r3
%= Y = same
%? memberchk(1r3, [0.333, 1r3]), nth0(I, [a, 2r6], 1r3)
%= I = 1
%? X is rationalize(0.25), Y is rationalize(3.14159), Z is rationalize(-2.75), V is rationalize(2.5e-5), W is rationalize(123456.789)
%= X = 1r4
%= Y = 314159r100000
%= Z = -11r4
%= V = 1r40000
%= W = 123456789r1000
%? try(X is 0 ** -1), try(X is 0 ^ -1)
%= ball(evaluation_error(zero_divisor))
%= ball(evaluation_error(zero_divisor))
%= true
%? X is 1r3 ** 1r1, Y is 8r27 ** 2r3, Z is 8r27 ** -1r3
%= X = 1r3
%= Y = 4r9
%= Z = 3r2
%? X is (1r3 + 1r6) * 2 - 1r7 / 3
%= X = 20r21
%? numlist(1, 60, L), foldl([X, A, B]>>(B is A + 1 rdiv X), L, 0, H), format("~10f ~0f~n", [H, H]), H > 4, L = []
%= 4.6798704130 5
%= the derivation failed
%? X is 12345678901234567890r98765432109876543210 * 3, Y is float(X), Z is truncate(X * 1000)
%= X = 41152263r109739369
%= Y = 0.3749999965828125
%= Z = 374
%? X is float(1r100000000000000000000000000000000000000000000000000000000000000), Y is float(2r3), Z is float(-1r7)
%= X = 1.0e-62
%= Y = 0.6666666666666666
%= Z = -0.14285714285714285
%? findall(X-Y, ( member(X, [-3r2, -1, 0, 1r2, 2, 7r3]), Y is floor(X) + ceiling(X) * 10 + round(X) * 100 + truncate(X) * 1000 ), L)
%= L = [-3r2- -1212, -1- -1111, 0-0, 1r2-110, 2-2222, 7r3-2232]
%? findall(R, ( member(A-B, [1r3-1r2, 1r2-1r3, 1r2-1r2, 1-1r2, 1r2-1, 0.5-1r2, 0.25-1r2, -1r2-1r2]), compare(R, A, B) ), L)
%= L = [<, >, =, >, <, <, <, <]
