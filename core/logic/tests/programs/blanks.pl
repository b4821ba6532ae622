% Blanks beside operators that are words.
:- use_module(library(chr)).
:- chr_constraint seen(?any).
seen(X) \ seen(X) <=> true.
infix(f(f(a)mod 2, (f(a)is[b]), [a]mod[b], (a mod[b]), (+)mod(+), 'A b'mod'C', (a,b)rem c, !xor!, 1mod-1, f(a)mod-1)).
prefix([dynamic(-1), dynamic(a), dynamic([a]), dynamic("s"), dynamic('A'), dynamic({a}), dynamic(-),
        dynamic(dynamic(a))]).

%? infix(_), forall(infix(X), (print(X), nl)), forall(prefix(X), (print(X), nl))
%= f(f(a)mod 2,f(a)is[b],[a]mod[b],a mod [b],(+)mod(+),'A b'mod'C',(a,b)rem c,!xor!,1 mod -1,f(a)mod-1)
%= [(dynamic-1),(dynamic a),(dynamic[a]),(dynamic"s"),(dynamic'A'),(dynamic {a}),(dynamic (-)),(dynamic (dynamic a))]
%= true
%? infix(X), arg(1, X, A), arg(7, X, B), X = f(_, _, _, _, _, _, _, _, _, _), seen(A), _ = B, fail ; true
%= true
