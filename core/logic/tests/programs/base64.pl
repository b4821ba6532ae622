% Bytes as letters (library(base64)).
:- use_module(library(base64)).

caught(G) :- catch(G, error(E, _), ( print(E), nl )).
both(T) :- base64_encoded(T, E, []), base64_encoded(P, E, []), text_to_string(T, S), ( P == S -> true ; print(P-S), nl ).

%? base64(abc, X), base64("ab", Y), base64(`a`, Z), base64("", E)
%= X = 'YWJj'
%= Y = 'YWI='
%= Z = 'YQ=='
%= E = ''
%? base64(X, 'YWJj'), base64(Y, "YWI="), base64(Z, 'YQ==')
%= X = abc
%= Y = ab
%= Z = a
%? base64_encoded(abc, X, []), base64_encoded("abc", Y, [as(atom)]), base64_encoded('\u20AC', Z, []), base64_encoded(P, "4oKs", [])
%= X = "YWJj"
%= Y = 'YWJj'
%= Z = "4oKs"
%= P = "€"
%? both(''), both('a\u00E9\u20AC\U0001F600z'), both(abcdefgh)
%= true
%? base64('\u00E9', X)
%= X = '6Q=='
%? caught(base64(_, _)), caught(base64(12, _)), caught(base64(f(x), _)), caught(base64('\u20AC', _))
%= instantiation_error
%= type_error(text,12)
%= type_error(text,f(x))
%= representation_error(encoding)
%= true
%? findall(X, base64(X, 'YW'), L)
%= L = []
