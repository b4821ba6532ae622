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
