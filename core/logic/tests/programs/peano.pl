% Numbers as terms, and addition that runs backwards.
add(z, Y, Y).
add(s(X), Y, s(Z)) :- add(X, Y, Z).

%? add(s(z), s(s(z)), Z)
%= Z = s(s(s(z)))
%? findall(X + Y, add(X, Y, s(s(z))), L)
%= L = [z+s(s(z)), s(z)+s(z), s(s(z))+z]
