% Columns and directives of format.
row(Name, Value) :- format("~w~t~8|~t~2f~8+~n", [Name, Value]).

%? row(pi, 3.14159), row(e, 2.71828)
%= pi          3.14
%= e           2.72
%= true
%? format("~a-~q-~d~n", [x, 'A b', 1234567]), format("~e ~s~n", [2.5, [104, 105]])
%= x-'A b'-1234567
%= 2.500000e+00 hi
%= true
%? format(atom(A), "~p+~w", [1, "s"])
%= A = '1+s'
%? format(atom(A), "~Nx~n~Ny~N~Nz", [])
%= A = 'x\ny\nz'
%? format(atom(A), "~I ~3I ~2I ~I", [1234567, 12, 12345, -1234])
%= A = '1_234_567 12 1_23_45 -1_234'
%? with_output_to(string(S), print_message_lines(current_output, 'P ', [hello-[], nl, a, 'b~w'-[c], nl, last]))
%= S = "P hello\nP abc\nP last\n"
%? format(atom(A), "~:d ~:D ~2:d ~`.t~:d~40|~:e", [1234567, 1234567, -12, 1234567, 2.5])
%= A = '1234567 1,234,567 -0.12 .........12345672.500000e+00'
