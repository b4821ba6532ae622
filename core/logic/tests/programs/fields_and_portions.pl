% Fields of texts, portions of answers, the larger one of two numbers.
:- use_module(library(chr)).
:- use_module(library(yall)).
:- chr_constraint seen(?any).
fields(S, Sep, Pad) :- split_string(S, Sep, Pad, L), print(L), nl.
portions(N, G) :- ( findnsols(N, X, call(G, X), L), print(L), nl, fail ; true ).
above(N, X) :- between(1, N, X), X > 2.
%? fields("  a b  ", " ", " "), fields("//a//b//", "/", "/"), fields(", a, b ,", ",", " ,"), fields("  ", " ", " ")
%= ["a","b"]
%= ["a","b"]
%= ["a","b"]
%= [""]
%= true
%? fields("a b", "", " "), fields(" a b ", "", " "), fields("/home//jan///nice/path", "/", ""), fields("SWI-Prolog, 7.0", ",", " ")
%= ["a b"]
%= ["a b"]
%= ["","home","","jan","","","nice","path"]
%= ["SWI-Prolog","7.0"]
%= true
%? fields("a.b.c.d", ".", ""), fields("a/,,b/a", ",a", " ,/"), fields("  a/ ,/ ", "/ ", ",/a"), fields("ba,// ", ",/", "a/")
%= ["a","b","c","d"]
%= ["","b",""]
%= ["","","","",""]
%= ["b",""," "]
%= true
%? fields("", "", ""), fields("", ",", " "), fields("(a-(", "-", "("), fields(" a,, a ,", " a", " /")
%= [""]
%= [""]
%= ["a",""]
%= ["",",,","","",","]
%= true
%? portions(2, [X]>>member(X, [a, b, c])), portions(2, [X]>>member(X, [a, b, c, d])), portions(3, above(9))
%= [a,b]
%= [c]
%= [a,b]
%= [c,d]
%= [3,4,5]
%= [6,7,8]
%= [9]
%= true
%? portions(1, [X]>>member(X, [a])), portions(2, [_]>>fail), portions(2, [X]>>(member(X, [1, 2]) ; fail))
%= [a]
%= []
%= [1,2]
%= []
%= true
%? ( findnsols(2, Y-L, (member(Y, [1, 2, 3]), findnsols(2, Z, member(Z, [Y, Y, p]), L)), Ls), print(Ls), nl, fail ; true )
%= [1-[1,1],1-[p]]
%= [2-[2,2],2-[p]]
%= [3-[3,3],3-[p]]
%= true
%? maplist([X-Y, A, B]>>(A is max(X, Y), B is min(X, Y)), [1-1.0, 1.0-1, 2-2], L, M)
%= L = M
%= M = [1.0, 1.0, 2]
%? max_list([3, 1.5, 3.0], E), min_list([3, 3.0, 4], F)
%= E = F
%= F = 3.0
