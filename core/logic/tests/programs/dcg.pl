% Sums read from a list of characters.
sum(V) --> number(N), rest(N, V).
rest(A, V) --> ['+'], !, number(N), { B is A + N }, rest(B, V).
rest(V, V) --> [].
number(N) --> digit(D), digits(D, N).
digits(A, N) --> digit(D), !, { B is 10 * A + D }, digits(B, N).
digits(N, N) --> [].
digit(D) --> [C], { char_type(C, digit(D)) }.

%? atom_chars('12+30+4', Cs), phrase(sum(V), Cs)
%= Cs = ['1', '2', +, '3', '0', +, '4']
%= V = 46
%? phrase(sum(V), [x])
%= the derivation failed
