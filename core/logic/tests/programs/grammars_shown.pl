% Rules of grammars and goals in braces as portray_clause/1 shows them.
shown(T) :- portray_clause(T).

%? shown((a --> b, {c}, [d])), shown((s(X) --> [X]))
%= a -->
%=     b,
%=     { c
%=     },
%=     [d].
%= s(A) -->
%=     [A].
%= true
%? shown((a :- {b}, c)), shown((a --> {b, d}, c ; {x}))
%= a :-
%=     { b
%=     },
%=     c.
%= a -->
%=     (   { b,
%=           d
%=         },
%=         c
%=     ;   { x
%=         }
%=     ).
%= true
