% Rules that write.
:- use_module(library(chr)).
:- chr_constraint word(?any), end.
end \ word(W) <=> writeln(W).
say(Ws) :- forall(member(W, Ws), atom(W)), maplist([W]>>word(W), Ws), end.

%? say([b, a])
%= a
%= b
%= end
