% Meetings that must not overlap, shifted until they fit.
:- use_module(library(chr)).
:- chr_constraint meeting(?any, ?any, ?any).
meeting(A, S, E) \ meeting(B, T, F) <=> A @< B, T < E, S < F | L is F - T, N is E + L, meeting(B, E, N).
plan :- meeting(a, 9, 11), meeting(b, 10, 12), meeting(c, 11, 12).

%? plan
%= meeting(c, 13, 14)
%= meeting(b, 11, 13)
%= meeting(a, 9, 11)
