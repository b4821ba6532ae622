% Guards that would bind variables of heads fail before anything wakes; nested guards; unifiers of protected variables.
:- use_module(library(chr)).
:- chr_constraint same/2, apart/2, form/1, below/2, sure/1, watched/1, outer/2, inner/1, parts/1, said/1.
:- dynamic seen/1.

same(X, Y) <=> X = Y, assertz(seen(X)) | said(same).
watched(X) \ said(other) <=> nonvar(X) | true.
same(_, _) <=> said(other).
apart(X, Y) <=> X \= Y | said(apart).
apart(_, _) <=> said(may).
form(X) <=> X = f(_) | said(form).
form(_) <=> said(none).
below(X, Y) <=> subsumes_term(X, Y) | said(below).
below(_, _) <=> said(beside).
sure(X) <=> ?=(X, 1) | said(sure).
sure(_) <=> said(unsure).
inner(X) <=> X = g(_), true | true.
inner(_) <=> true.
outer(X, Y) <=> Z = h(W), inner(W), Z = h(1), Y \= 2, X = 3 | said(three).
outer(X, _) <=> X = 4 | said(four).
outer(_, Y) <=> freeze(F, true), F = 1, \+ Y = 5 | said(not_five).
parts(X) <=> unifiable(X, f(1, 2), U), length(U, N), N > 0 | said(N).
parts(_) <=> said(whole).

%? watched(X), same(X, 1), findall(W, seen(W), L)
%= L = []
%= watched(X)
%= said(other)
%? same(X, Y), X = Y
%= X = Y
%= said(other)
%? same(f(X, Y), f(X, Y))
%= said(same)
%? apart(X, Y), apart(X, X), apart(f(X), f(1))
%= said(apart)
%= said(may)
%= said(apart)
%? form(X), form(f(X))
%= said(form)
%= said(none)
%? below(X, 1), below(1, X), below(f(a), f(a))
%= said(below)
%= said(beside)
%= said(beside)
%? sure(X), sure(2)
%= said(sure)
%= said(unsure)
%? outer(X, Y)
%= said(not_five)
%? outer(4, Y)
%= said(four)
%? outer(X, 7), X = 3
%= X = 3
%= said(not_five)
%? outer(3, 7)
%= said(three)
%? parts(f(X, Y)), parts(f(1, 2)), parts(X)
%= said(1)
%= said(whole)
%= said(2)
%? unifiable(f(X, Y, Z), f(Y, Z, 1), L)
%= L = [X=1, Z=X, Y=X]
