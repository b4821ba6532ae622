% portray/1 writes parts of terms for print/1,2, `~p` and the option portray; `~@` writes what a goal writes.
portray(secret(_)) :- write('***').
portray(sum(A, B)) :- print(A), write(' and '), print(B).
portray([]) :- write(nothing).
portray(N) :- integer(N), N > 99, write(many).
portray(broken) :- throw(no_matter).

label(L) :- write('<'), write(L), write('>').

%? print(secret(1)), nl, print([a, secret(2), f(secret(3)), 500]), nl
%= ***
%= [a,***,f(***),many]
%= true
%? print(sum(secret(x), sum(1, 'A b'))), nl, catch(print(broken), E, true), nl, print([x|secret(1)]), nl
%= *** and 1 and 'A b'
%= 
%= [x|***]
%= E = no_matter
%? format("~p ~w~t~12|~q~n", [secret(1), secret(2), secret(3)])
%= *** secret(2)secret(3)
%= true
%? writeq(secret(1)), nl, write_term(f(secret(1), 'B'), [portray(true), quoted(true)]), nl, print([]), nl
%= secret(1)
%= f(***,'B')
%= nothing
%= true
%? format("~w~t~@~12|~w~n", [left, label(x), right])
%= left     <x>right
%= true
%? format(atom(A), "~@-~@", [label(a), (label(b), label(c))])
%= A = '<a>-<b><c>'
%? format("~@", [fail])
%= the derivation failed
%? format(atom(A), "~*c~w~e~a~i~`xt~10|~n", [2, 0'y, z, 1.0, b, c])
%= A = 'yyz1.000000e+00b\n'
%? print_message_lines(current_output, 'P ', ['~p'-[secret(1)], nl])
%= P ***
%= true
