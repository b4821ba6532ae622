% A grammar that reads from both ends.
pal --> [].
pal --> [_].
pal --> [C], pal, [C].

%? atom_chars(racecar, Cs), phrase(pal, Cs), Cs = [C|_]
%= Cs = [r, a, c, e, c, a, r]
%= C = r
%? phrase(pal, [a, b])
%= the derivation failed
