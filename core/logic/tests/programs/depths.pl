% Terms that are written up to a depth.
deep(0, x) :- !.
deep(N, f(T)) :- M is N-1, deep(M, T).

%? numlist(1, 12, L), write_term(L, [max_depth(5)]), nl, write_term(L, [max_depth(0)]), nl
%= [1,2,3,4|...]
%= [1,2,3,4,5,6,7,8,9,10,11,12]
%= L = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
%? deep(9, T), write_term(T, [max_depth(4)]), nl, write_term([[1, 2, 3, 4], [2, 3, 4], [[[[x]]]]|y], [max_depth(5)]), nl
%= f(f(f(f(...))))
%= [[1,2,3|...],[2,3|...],[[...]]|y]
%= T = f(f(f(f(f(f(f(f(f(x)))))))))
%? write_term(a+b+c+d+e+f, [max_depth(4)]), nl, write_term({a, b, c, d}, [max_depth(3)]), nl, write_term(- (- (- (- a))), [max_depth(3)]), nl
%= ... + ... + d+e+f
%= {a,...,...}
%= - - - ...
%= true
%? write_term(f(1, "two", [a, b], 'C d'), [max_depth(2), quoted(true)]), nl, write_term('$VAR'(1), [max_depth(3), numbervars(true)]), nl
%= f(1,"two",[...|...],'C d')
%= B
%= true
