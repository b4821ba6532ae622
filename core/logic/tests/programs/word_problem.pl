% SEND + MORE = MONEY in miniature: TO + GO = OUT.
digit(D) :- between(0, 9, D).
solve([T, O, G, U]) :- O = 1, T = 2, digit(G), G > 0, digit(U), G \= U, G \= 1, G \= 2, U \= 1, U \= 2,
    10 * T + O + 10 * G + O =:= 100 * O + 10 * U + T.

%? solve(L)
%= L = [2, 1, 8, 0]
