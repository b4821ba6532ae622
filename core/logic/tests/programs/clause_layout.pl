% Clauses as text.
:- use_module(library(chr)).
:- chr_constraint p(?any).
p(X) <=> X = 1.
%? portray_clause(f(X, _, X))
%= f(A, _, A).
%= true
%? portray_clause((a(X) :- b(X), \+ c(X), d))
%= a(A) :-
%=     b(A),
%=     \+ c(A),
%=     d.
%= true
%? portray_clause((a(X, Y) :- ( X > Y -> b(X) ; Y = 1, c ; d ), e))
%= a(A, B) :-
%=     (   A>B
%=     ->  b(A)
%=     ;   B=1,
%=         c
%=     ;   d
%=     ),
%=     e.
%= true
%? portray_clause((:- dynamic foo/1))
%= :- (dynamic foo/1).
%= true
%? portray_clause([1, 'A b', "s"|_])
%= [1, 'A b', "s"|_].
%= true
