% Letters, spaces and marks as the C library has them; solutions in portions bind nothing.
classes(C, L) :- findall(T, (member(T, [alpha, alnum, csym, csymf, space, white, punct, graph]), char_type(C, T)), L).
portion(X, L) :- findnsols(2, X, member(X, [a, b, c]), L).

%? classes('1', L)
%= L = [alnum, csym, graph]
%? classes('_', L)
%= L = [csym, csymf, punct, graph]
%? classes(é, L)
%= L = [alpha, alnum, csym, csymf, graph]
%? classes(' ', L)
%= L = [space, white]
%? classes('\u00A0', L)
%= L = [punct, graph]
%? classes('\u0085', L)
%= L = []
%? portion(X, L)
%= L = [a, b]
%? findall(L, portion(_, L), Ls)
%= Ls = [[a, b], [c]]
