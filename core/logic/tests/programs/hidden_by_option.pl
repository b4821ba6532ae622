% The option that hides the store of answers.
:- use_module(library(chr)).
:- chr_option(toplevel_show_store, off).
:- chr_constraint item(?).
item(X) \ item(X) <=> true.

%? item(1)
%= true
%? item(X), X = 2, item(Y)
%= X = 2
