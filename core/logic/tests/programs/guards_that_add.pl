% A guard may add a constraint that waits for no variable of the heads. One that would wait for one cannot be added.
:- use_module(library(chr)).
:- chr_constraint seen/2, ask/1, nested/1, known/1, fresh/1, passing/1, free/1, again/1.

seen(X, _), seen(X, _) <=> true.

again(X) ==> seen(X, a), again(X) | true.
ask(X) ==> (seen(X, a), write(added) ; write(other)), nl | true.
ask(X) ==> (seen(X, a) -> write(then) ; write(else)), nl | true.
ask(X) ==> \+ seen(X, a), write(cannot), nl | true.
ask(X) ==> findall(x, seen(X, a), L), write(L), nl | true.
ask(X) ==> Y = X, seen(Y, a), write(same), nl | true.
nested(X) ==> seen(f(X), a), write(added), nl | true.
known(X) ==> seen(X, a) | write(known), nl.
fresh(X) ==> seen(Y, X), seen(Y, b) | write(gone), nl.
passing(X) ==> free(X) | write(fired), nl.

%? again(N)
%= again(N)
%? ask(N)
%= other
%= else
%= cannot
%= []
%= ask(N)
%? nested(N)
%= nested(N)
%? known(1)
%= known
%= seen(1, a)
%= known(1)
%? known(N)
%= known(N)
%? fresh(3)
%= gone
%= fresh(3)
%? passing(N)
%= fired
%= passing(N)
%= free(N)
