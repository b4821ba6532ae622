% A goal with another number of arguments than a constraint has is an error when it is called, not before.
:- use_module(library(chr)).
:- chr_constraint repeat_for(?), total(?).
repeat_for(X), total(0) <=> X = done.
repeat_for(_), total(1) <=> repeat_for(a, b).
%? total(0), repeat_for(X)
%= X = done
%? total(1), catch(repeat_for(_), error(existence_error(procedure, P), _), (print(P), nl))
%= repeat_for/2
%= P = repeat_for/2
%= total(1)
