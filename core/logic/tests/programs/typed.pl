% Types of columns: unbound variables wait for their check.
:- use_module(library(chr)).
:- chr_type bit ---> 0 ; 1.
:- chr_type list(T) ---> [] ; [T|list(T)].
:- chr_constraint inv(?bit, ?bit), bits(?list(bit)), num(?int, ?any).

inv(0, X) <=> X = 1.
inv(1, X) <=> X = 0.
inv(X, Y), inv(Y, Z) ==> X = Z.

%? inv(0, X)
%= X = 1
%? inv(X, Y)
%= inv(X, Y)
%= when(nonvar(X), once('$dynamic_type_check'(bit, X)))
%= when(nonvar(Y), once('$dynamic_type_check'(bit, Y)))
%? bits([0|T]), T = [1]
%= T = [1]
%= bits([0, 1])
%? bits([0|T])
%= bits([0|T])
%= when(nonvar(T), once('$dynamic_type_check'(list(bit), T)))
%? num(X, Y)
%= num(X, Y)
%= when(nonvar(X), once('$dynamic_type_check'(int, X)))
%? catch((num(X, Y), X = a), error(E, _), true)
%= E = type_error(int, a)
%? catch(inv(2, X), error(E, _), true)
%= E = type_error(bit, 2)
