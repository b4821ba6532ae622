% Errors of built-in predicates that are called with arguments of wrong types, or with variables: the formal terms.
:- use_module(library(error)).
:- dynamic foo/0.

all(Goals) :- forall(member(Goal, Goals), shown(Goal)).
shown(Goal) :- catch(( call(Goal) -> F = yes ; F = no ), error(F, _), true), print(F), nl.

%? all([(atom_length(_,_)), (atom_length(f(x),_)), (atom_length(abc,foo)), (atom_concat(_,_,_)), (atom_concat(a,_,_))]), true
%= instantiation_error
%= type_error(text,f(x))
%= type_error(integer,foo)
%= instantiation_error
%= instantiation_error
%= true
%? all([(atom_concat(f(x),a,_)), (atom_concat(a,b,f(x))), (sub_atom(_,_,_,_,_)), (sub_atom(f(x),_,_,_,_)), (sub_atom(abc,a,_,_,_))]), true
%= type_error(atomic,f(x))
%= type_error(atomic,f(x))
%= instantiation_error
%= type_error(atom,f(x))
%= type_error(integer,a)
%= true
%? all([(sub_atom(abc,_,a,_,_)), (sub_atom(abc,_,_,a,_)), (sub_atom(abc,_,_,_,f(x))), (sub_string(_,_,_,_,_)), (sub_string("abc",a,_,_,_))]), true
%= type_error(integer,a)
%= type_error(integer,a)
%= type_error(atom,f(x))
%= instantiation_error
%= type_error(integer,a)
%= true
%? all([(atom_chars(_,_)), (atom_chars(_,[a|_])), (atom_chars(_,[a,_])), (atom_chars(_,[a,f(x)])), (atom_chars(f(x),_))]), true
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= type_error(character,f(x))
%= type_error(atom,f(x))
%= true
%? all([(atom_chars(_,foo)), (atom_codes(_,_)), (atom_codes(_,[0'a|_])), (atom_codes(_,[-1])), (atom_codes(f(x),_))]), true
%= type_error(list,foo)
%= instantiation_error
%= instantiation_error
%= type_error(character_code,-1)
%= type_error(atom,f(x))
%= true
%? all([(char_code(_,_)), (char_code(ab,_)), (char_code(_,a)), (char_code(_,-1)), (char_code(_,0x110000))]), true
%= instantiation_error
%= type_error(character,ab)
%= type_error(integer,a)
%= type_error(character_code,-1)
%= type_error(character_code,1114112)
%= true
%? all([(char_code(f(x),_)), (number_codes(_,_)), (number_codes(X,[0'a])), (number_codes(X,"1x")), (number_codes(f(x),_))]), true
%= type_error(character,f(x))
%= instantiation_error
%= syntax_error(illegal_number)
%= syntax_error(illegal_number)
%= type_error(number,f(x))
%= true
%? all([(number_codes(X,[0'1|_])), (atom_number(_,_)), (atom_number(f(x),_)), (atom_number(A,a)), (number_string(_,_))]), true
%= instantiation_error
%= instantiation_error
%= type_error(atom,f(x))
%= type_error(number,a)
%= instantiation_error
%= true
%? all([(atom_string(_,_)), (atom_string(f(x),_)), (string_concat(_,_,_)), (string_concat(a,f(x),_)), (string_length(_,_))]), true
%= instantiation_error
%= type_error(atom,f(x))
%= instantiation_error
%= type_error(atomic,f(x))
%= instantiation_error
%= true
%? all([(string_length(f(x),_)), (string_chars(_,_)), (string_chars(_,[a|_])), (string_codes(_,_)), (string_codes(_,[a|b]))]), true
%= type_error(text,f(x))
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= type_error(list,[a|b])
%= true
%? all([(string_to_atom(_,_)), (string_to_atom(f(x),_)), (string_code(a,"abc",_)), (string_code(-1,"abc",_)), (string_code(1,_,_))]), true
%= instantiation_error
%= type_error(string,f(x))
%= type_error(integer,a)
%= domain_error(not_less_than_zero,-1)
%= instantiation_error
%= true
%? all([(string_lower(_,_)), (string_upper(f(x),_)), (upcase_atom(_,_)), (upcase_atom(f(x),_)), (downcase_atom(_,_))]), true
%= instantiation_error
%= type_error(atomic,f(x))
%= instantiation_error
%= type_error(atomic,f(x))
%= instantiation_error
%= true
%? all([(number_chars(_,_)), (number_chars(X,[a])), (number_chars(X,['1',' '])), (number_chars(X,['1'|_])), (number_chars(f(x),_))]), true
%= instantiation_error
%= syntax_error(illegal_number)
%= syntax_error(illegal_number)
%= instantiation_error
%= type_error(number,f(x))
%= true
%? all([(number_chars(X,[])), (number_chars(X,foo)), (atomic_list_concat(_,_)), (atomic_list_concat([a,_],_)), (atomic_list_concat([a,f(x)],_))]), true
%= syntax_error(illegal_number)
%= type_error(list,foo)
%= instantiation_error
%= instantiation_error
%= type_error(text,f(x))
%= true
%? all([(atomic_list_concat([a|_],_)), (atomic_list_concat(foo,_)), (atomic_list_concat(_,',',_)), (atomic_list_concat(_,'',abc)), (atomic_list_concat([a,_],',',_))]), true
%= instantiation_error
%= type_error(list,foo)
%= instantiation_error
%= domain_error(non_empty_atom,'')
%= instantiation_error
%= true
%? all([(atomic_list_concat(_,_,abc)), (atomic_list_concat([a,b],f(x),_)), (split_string(_,"","",_)), (split_string("a",_,"",_)), (split_string(f(x),"","",_))]), true
%= instantiation_error
%= type_error(text,f(x))
%= instantiation_error
%= instantiation_error
%= type_error(text,f(x))
%= true
%? all([(char_type(a,foo)), (char_type(f(x),alpha)), (char_type(ab,alpha)), (char_type(a,f(x))), (code_type(a,foo))]), true
%= type_error(char_type,foo)
%= type_error(character,f(x))
%= type_error(character,ab)
%= type_error(char_type,f(x))
%= type_error(char_type,foo)
%= true
%? all([(code_type(f(x),alpha)), (functor(_,_,_)), (functor(_,foo,_)), (functor(_,foo,a)), (functor(_,foo,-1))]), true
%= type_error(character,f(x))
%= instantiation_error
%= instantiation_error
%= type_error(integer,a)
%= domain_error(not_less_than_zero,-1)
%= true
%? all([(functor(_,f(x),1)), (functor(_,f(x),0)), (functor(_,1,1)), (functor(_,1.5,1)), (functor(_,_,1))]), true
%= type_error(atomic,f(x))
%= type_error(atomic,f(x))
%= type_error(atom,1)
%= type_error(atom,1.5)
%= instantiation_error
%= true
%? all([(arg(_,_,_)), (arg(a,f(x),_)), (arg(1,_,_)), (arg(1,a,_)), (arg(-1,f(x),_))]), true
%= instantiation_error
%= type_error(integer,a)
%= instantiation_error
%= type_error(compound,a)
%= domain_error(not_less_than_zero,-1)
%= true
%? all([(arg(1.0,f(x),_)), (_ =.. _), (_ =.. [a|_]), (_ =.. [f(x),a]), (_ =.. [1,a])]), true
%= type_error(integer,1.0)
%= instantiation_error
%= instantiation_error
%= type_error(atom,f(x))
%= type_error(atom,1)
%= true
%? all([(_ =.. []), (_ =.. foo), (_ =.. [_,a]), (setarg(a,f(x),y)), (setarg(1,_,y))]), true
%= domain_error(non_empty_list,[])
%= type_error(list,foo)
%= instantiation_error
%= type_error(integer,a)
%= instantiation_error
%= true
%? all([(nb_setarg(a,f(x),y)), (nb_setarg(1,_,y)), (compound_name_arity(_,_,_)), (compound_name_arity(_,foo,a)), (compound_name_arity(a,_,_))]), true
%= type_error(integer,a)
%= instantiation_error
%= instantiation_error
%= type_error(integer,a)
%= type_error(compound,a)
%= true
%? all([(compound_name_arguments(_,_,_)), (compound_name_arguments(a,_,_)), (compound_name_arguments(_,foo,bar)), (X is _), (X is foo)]), true
%= instantiation_error
%= type_error(compound,a)
%= type_error(list,bar)
%= instantiation_error
%= type_error(evaluable,foo/0)
%= true
%? all([(X is foo+1), (X is 1/0), (X is 1//0), (X is 1 mod 0), (X is 1 rem 0)]), true
%= type_error(evaluable,foo/0)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= true
%? all([(X is 1 div 0), (X is 1.0/0), (X is 1/0.0), (X is 0/0.0), (X is 1.5 mod 2)]), true
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= evaluation_error(undefined)
%= type_error(integer,1.5)
%= true
%? all([(X is 1 << a), (X is 1.0 << 2), (X is \ 1.5), (X is msb(-1)), (X is msb(1.0))]), true
%= type_error(evaluable,a/0)
%= type_error(integer,1.0)
%= type_error(integer,1.5)
%= domain_error(not_less_than_one,-1)
%= type_error(integer,1.0)
%= true
%? all([(X is sqrt(-1)), (X is log(0)), (X is log(-1)), (X is log(0.0)), (X is acos(2))]), true
%= evaluation_error(undefined)
%= evaluation_error(float_overflow)
%= evaluation_error(undefined)
%= evaluation_error(float_overflow)
%= evaluation_error(undefined)
%= true
%? all([(X is asin(2)), (X is 0 ** -1), (X is 0.0 ** -1), (X is 0 ^ -1), (X is random(0))]), true
%= evaluation_error(undefined)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= evaluation_error(zero_divisor)
%= domain_error(not_less_than_one,0)
%= true
%? all([(X is random(-1)), (X is random(a)), (X is random(1.5)), (X is gcd(1.0,2)), (X is gcd(a,2))]), true
%= domain_error(not_less_than_one,-1)
%= type_error(evaluable,a/0)
%= type_error(integer,1.5)
%= type_error(integer,1.0)
%= type_error(evaluable,a/0)
%= true
%? all([(X is copysign(a,1)), (X is exp(1000)), (X is 1e308*10), (X is float(1<<2000)), (X is max(a,1))]), true
%= type_error(evaluable,a/0)
%= evaluation_error(float_overflow)
%= evaluation_error(float_overflow)
%= evaluation_error(float_overflow)
%= type_error(evaluable,a/0)
%= true
%? all([(X is abs(a)), (X is sign(a)), (X is cmpflags), (X is e(1)), (X is succ(a))]), true
%= type_error(evaluable,a/0)
%= type_error(evaluable,a/0)
%= type_error(evaluable,cmpflags/0)
%= type_error(evaluable,e/1)
%= type_error(evaluable,a/0)
%= true
%? all([(X is plus(1,a)), (X is powm(2,-1,5)), (X is powm(2,3,0)), (X is tan(a)), (X is trig(1))]), true
%= type_error(evaluable,a/0)
%= domain_error(not_less_than_zero,-1)
%= domain_error(not_less_than_one,0)
%= type_error(evaluable,a/0)
%= type_error(evaluable,trig/1)
%= true
%? all([(X is nexttoward(a,1)), (X is lsb(0)), (X is lsb(-1)), (X is popcount(-1)), (X is getbit(-1,0))]), true
%= type_error(evaluable,a/0)
%= domain_error(not_less_than_one,0)
%= domain_error(not_less_than_one,-1)
%= domain_error(not_less_than_zero,-1)
%= domain_error(not_less_than_zero,-1)
%= true
%? all([(X is getbit(1,-1)), (X is numerator(1.5)), (X is rational(inf)), (X is rationalize(nan)), (X is acosh(0.5))]), true
%= domain_error(not_less_than_zero,-1)
%= type_error(rational,1.5)
%= evaluation_error(rational_overflow)
%= evaluation_error(undefined)
%= evaluation_error(undefined)
%= true
%? all([(X is atanh(1)), (X is atanh(2)), (X is gamma(0)), (X is rdiv(1,0)), (X is 1 rdiv 1.5)]), true
%= evaluation_error(float_overflow)
%= evaluation_error(undefined)
%= type_error(evaluable,gamma/1)
%= evaluation_error(zero_divisor)
%= type_error(rational,1.5)
%= true
%? all([(X is divmod(1,2)), (X is trunc(a)), (X is cot(a)), (X is 5 xor 1.0), (X is 5 /\ a)]), true
%= type_error(evaluable,divmod/2)
%= type_error(evaluable,a/0)
%= type_error(evaluable,a/0)
%= type_error(integer,1.0)
%= type_error(evaluable,a/0)
%= true
%? all([(X is 5 \/ 1.5), (1 =:= a), (1 < _), (a < 1), (1 =:= 1/0)]), true
%= type_error(integer,1.5)
%= type_error(evaluable,a/0)
%= instantiation_error
%= type_error(evaluable,a/0)
%= evaluation_error(zero_divisor)
%= true
%? all([(succ(_,_)), (succ(a,_)), (succ(-1,_)), (succ(_,-1)), (succ(1.5,_))]), true
%= instantiation_error
%= type_error(integer,a)
%= domain_error(not_less_than_zero,-1)
%= domain_error(not_less_than_zero,-1)
%= type_error(integer,1.5)
%= true
%? all([(succ(X,a)), (plus(_,_,_)), (plus(1,_,_)), (plus(a,1,_)), (plus(1.5,1,_))]), true
%= type_error(integer,a)
%= instantiation_error
%= instantiation_error
%= type_error(integer,a)
%= type_error(integer,1.5)
%= true
%? all([(between(_,1,_)), (between(1,_,_)), (between(a,1,_)), (between(1,a,_)), (between(1,3,a))]), true
%= instantiation_error
%= instantiation_error
%= type_error(integer,a)
%= type_error(integer,a)
%= type_error(integer,a)
%= true
%? all([(between(1.0,3,_)), (length(_,-1)), (length(_,a)), (length(a,_)), (length([a|b],_))]), true
%= type_error(integer,1.0)
%= domain_error(not_less_than_zero,-1)
%= type_error(integer,a)
%= type_error(list,a)
%= type_error(list,[a|b])
%= true
%? all([(length(_,1.5)), (msort(_,_)), (msort([a|_],_)), (msort(a,_)), (sort(_,_))]), true
%= type_error(integer,1.5)
%= instantiation_error
%= instantiation_error
%= type_error(list,a)
%= instantiation_error
%= true
%? all([(sort([a|_],_)), (sort(a,_)), (sort(0,foo,[],_)), (sort(1,@<,[a],_)), (sort(-1,@<,[a],_))]), true
%= instantiation_error
%= type_error(list,a)
%= domain_error(order,foo)
%= type_error(compound,a)
%= domain_error(not_less_than_one,-1)
%= true
%? all([(sort(_,@<,[],_)), (sort(0,_,[],_)), (keysort(_,_)), (keysort([a],_)), (keysort([_],_))]), true
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= type_error(pair,a)
%= instantiation_error
%= true
%? all([(keysort([a-1|_],_)), (keysort(a,_)), (nth0(a,[x],_)), (nth1(a,[x],_)), (nth0(1.5,[x],_))]), true
%= instantiation_error
%= type_error(list,a)
%= type_error(integer,a)
%= type_error(integer,a)
%= type_error(integer,1.5)
%= true
%? all([(numlist(a,2,_)), (numlist(1,_,_)), (numlist(1,a,_)), (sum_list([a],_)), (sum_list([_],_))]), true
%= type_error(integer,a)
%= instantiation_error
%= type_error(integer,a)
%= type_error(evaluable,a/0)
%= instantiation_error
%= true
%? all([(max_list([a,b],_)), (list_to_set(_,_)), (list_to_set(a,_)), (list_to_set([a|_],_)), (sumlist([a],_))]), true
%= type_error(evaluable,a/0)
%= instantiation_error
%= type_error(list,a)
%= instantiation_error
%= type_error(evaluable,a/0)
%= true
%? all([(call(_)), (call(1)), (call((fail,1))), (call((write(a),1))), (call(1,a))]), true
%= instantiation_error
%= type_error(callable,1)
%= type_error(callable,(fail,1))
%= type_error(callable,(write(a),1))
%= type_error(callable,1)
%= true
%? all([(call(_,a)), (call(foo:_)), (call(_:foo)), (findall(_,_,_)), (findall(_,1,_))]), true
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= true
%? all([(bagof(_,_,_)), (bagof(_,1,_)), (setof(_,_,_)), (setof(X,X^1,_)), (forall(_,true))]), true
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= true
%? all([(forall(1,true)), (forall(true,_)), (catch(_,_,_)), (throw(_)), (assertz(_))]), true
%= type_error(callable,1)
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= true
%? all([(assertz(1)), (assertz((foo:-1))), (assertz((1:-foo))), (assertz((_:-foo))), (assertz((foo:-_)))]), true
%= type_error(callable,1)
%= type_error(callable,1)
%= type_error(callable,1)
%= instantiation_error
%= instantiation_error
%= true
%? all([(assertz((atom(_):-true))), (assertz(atom_length(_,_))), (assertz((foo,bar))), (asserta(_)), (asserta(1))]), true
%= permission_error(modify,static_procedure,atom/1)
%= permission_error(modify,static_procedure,atom_length/2)
%= permission_error(modify,static_procedure,(',')/2)
%= instantiation_error
%= type_error(callable,1)
%= true
%? all([(retract(_)), (retract((_:-true))), (retract((1:-true))), (retract((atom(_):-true))), (retract(atom_length(_,_)))]), true
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= permission_error(modify,static_procedure,atom/1)
%= permission_error(modify,static_procedure,atom_length/2)
%= true
%? all([(retractall(_)), (retractall(1)), (retractall(atom(_))), (clause(_,_)), (clause(1,_))]), true
%= instantiation_error
%= type_error(callable,1)
%= permission_error(modify,static_procedure,atom/1)
%= instantiation_error
%= type_error(callable,1)
%= true
%? all([(clause(atom(_),_)), (clause(atom_length(_,_),_)), (dynamic(foo)), (dynamic(foo/a)), (dynamic(foo/_))]), true
%= permission_error(access,private_procedure,atom/1)
%= permission_error(access,private_procedure,atom_length/2)
%= type_error(predicate_indicator,foo)
%= type_error(integer,a)
%= instantiation_error
%= true
%? all([(dynamic(atom/1)), (atom_to_term(_,_,_)), (atom_to_term(f(x),_,_)), (read_term(_,_,_)), (read_term(foo,_,[]))]), true
%= permission_error(modify,static_procedure,atom/1)
%= instantiation_error
%= type_error(text,f(x))
%= instantiation_error
%= existence_error(stream,foo)
%= true
%? all([(read(foo,_)), (read(f(x),_)), (get_char(_,_)), (get_char(foo,_)), (put_char(_))]), true
%= existence_error(stream,foo)
%= domain_error(stream_or_alias,f(x))
%= instantiation_error
%= existence_error(stream,foo)
%= instantiation_error
%= true
%? all([(put_char(ab)), (put_byte(a)), (write_term(a,_)), (write_term(a,foo)), (write_term(a,[quoted(maybe)]))]), true
%= type_error(character,ab)
%= type_error(byte,a)
%= instantiation_error
%= type_error(list,foo)
%= type_error(bool,maybe)
%= true
%? all([(write_term(a,[quoted(_)])), (write_term(a,[max_depth(a)])), (write_term(a,[priority(a)])), (write_term(foo,a,[])), (format(_))]), true
%= instantiation_error
%= type_error(integer,a)
%= type_error(integer,a)
%= existence_error(stream,foo)
%= instantiation_error
%= true
%? all([(format(_,[])), (format("~d",[a])), (format("~d",[1.0])), (format("~d",[_])), (format("~a",[f(x)]))]), true
%= instantiation_error
%= type_error(evaluable,a/0)
%= format_argument_type(d,1.0)
%= instantiation_error
%= format_argument_type(a,f(x))
%= true
%? all([(format("~e",[a])), (format("~2f",[a])), (format("~z",[a])), (format("~w",[])), (format("~c",[a]))]), true
%= type_error(evaluable,a/0)
%= type_error(evaluable,a/0)
%= existence_error(format_character,z)
%= format('not enough arguments')
%= format_argument_type(c,a)
%= true
%? all([(format("~37r",[10])), (format("~*c",[a,0'x])), (format("~i~w",[a])), (format("~p",[])), (format(f(x),[]))]), true
%= domain_error(radix,37)
%= format('no or negative integer for `*\' argument')
%= format('not enough arguments')
%= format('not enough arguments')
%= type_error(text,f(x))
%= true
%? all([(format(atom(_),"~w",[])), (with_output_to(_,true)), (with_output_to(foo,true)), (with_output_to(atom(_),_)), (with_output_to(atom(_),1))]), true
%= format('not enough arguments')
%= instantiation_error
%= existence_error(stream,foo)
%= instantiation_error
%= type_error(callable,1)
%= true
%? all([(current_output(foo)), (current_input(foo)), (set_input(foo)), (set_input(user_output)), (set_output(foo))]), true
%= existence_error(stream,foo)
%= existence_error(stream,foo)
%= existence_error(stream,foo)
%= permission_error(input,stream,user_output)
%= existence_error(stream,foo)
%= true
%? all([(delete_file(_)), (nb_setval(_,a)), (nb_setval(f(x),a)), (nb_getval(_,_)), (nb_getval(nokey,_))]), true
%= instantiation_error
%= instantiation_error
%= type_error(atom,f(x))
%= instantiation_error
%= existence_error(variable,nokey)
%= true
%? all([(b_getval(nokey,_)), (b_setval(_,1)), (set_prolog_flag(_,true)), (set_prolog_flag(bounded,true)), (set_prolog_flag(occurs_check,foo))]), true
%= existence_error(variable,nokey)
%= instantiation_error
%= instantiation_error
%= permission_error(modify,flag,bounded)
%= domain_error(occurs_check,foo)
%= true
%? all([(set_prolog_flag(double_quotes,foo)), (set_prolog_flag(1,true)), (current_prolog_flag(1,_)), (current_prolog_flag(f(x),_)), (numbervars(_,a,_))]), true
%= domain_error(double_quotes,foo)
%= type_error(atom,1)
%= type_error(atom,1)
%= type_error(atom,f(x))
%= type_error(integer,a)
%= true
%? all([(numbervars(f(_),_,_)), (must_be(integer,_)), (must_be(integer,a)), (must_be(positive_integer,0)), (must_be(positive_integer,a))]), true
%= instantiation_error
%= instantiation_error
%= type_error(integer,a)
%= type_error(positive_integer,0)
%= type_error(positive_integer,a)
%= true
%? all([(must_be(nonneg,-1)), (must_be(boolean,1)), (must_be(list,[a|_])), (must_be(list,a)), (must_be(list(integer),[a]))]), true
%= type_error(nonneg,-1)
%= type_error(boolean,1)
%= instantiation_error
%= type_error(list,a)
%= type_error(integer,a)
%= true
%? all([(must_be(foo,a)), (must_be(_,a)), (must_be(between(1,3),4)), (must_be(between(1,3),a)), (must_be(between(1,3),_))]), true
%= existence_error(type,foo)
%= instantiation_error
%= type_error(between(1,3),4)
%= type_error(between(1,3),a)
%= instantiation_error
%= true
%? all([(must_be(oneof([a,b]),c)), (must_be(oneof([a,b]),_)), (must_be(callable,1)), (must_be(callable,_)), (must_be(atom,1))]), true
%= type_error(oneof([a,b]),c)
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= type_error(atom,1)
%= true
%? all([(must_be(var,a)), (must_be(list_or_partial,a)), (must_be(string,a)), (must_be(text,f(x))), (must_be(chars,[1]))]), true
%= uninstantiation_error(a)
%= existence_error(type,list_or_partial)
%= type_error(string,a)
%= type_error(text,f(x))
%= type_error(char,1)
%= true
%? all([(must_be(codes,[a])), (must_be(order,a)), (must_be(encoding,a)), (must_be(char,ab)), (must_be(code,-1))]), true
%= type_error(code,a)
%= existence_error(type,order)
%= type_error(encoding,a)
%= type_error(char,ab)
%= type_error(code,-1)
%= true
%? all([(must_be(pair,a)), (must_be(rational,a)), (must_be(number,a)), (must_be(compound,a)), (must_be(cyclic,a))]), true
%= type_error(pair,a)
%= type_error(rational,a)
%= type_error(number,a)
%= type_error(compound,a)
%= domain_error(cyclic_term,a)
%= true
%? all([(must_be(symbol,1)), (is_of_type(_,a)), (type_error(integer,a)), (domain_error(integer,a)), (apply(_,[]))]), true
%= type_error(symbol,1)
%= instantiation_error
%= type_error(integer,a)
%= domain_error(integer,a)
%= instantiation_error
%= true
%? all([(apply(foo,_)), (not(_)), (not(1)), (\+ _), (\+ 1)]), true
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= type_error(callable,\+1)
%= true
%? all([(once(_)), (once(1)), (ignore(_)), (ignore(1)), ((_ -> true ; true))]), true
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= true
%? all([((1 -> true ; true)), ((true ; 1)), ((fail ; _)), (maplist(_,[a])), (maplist(1,[a]))]), true
%= type_error(callable,(1->true;true))
%= type_error(callable,(true;1))
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= true
%? all([(maplist(atom_length,[f(x)],_)), (foldl(_,[a],0,_)), (include(_,[a],_)), (include(1,[a],_)), (partition(_,[a],_,_))]), true
%= type_error(text,f(x))
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= instantiation_error
%= true
%? all([(phrase(_,[])), (phrase(1,[])), (phrase(foo,a)), (phrase("ab",a)), (call_cleanup(_,true))]), true
%= instantiation_error
%= type_error(callable,1)
%= type_error(list,a)
%= type_error(list,a)
%= instantiation_error
%= true
%? all([(setup_call_cleanup(true,true,_)), (setup_call_cleanup(true,_,true)), (setup_call_cleanup(_,true,true)), (setup_call_cleanup(true,true,1)), (put_attr(a,b,c))]), true
%= instantiation_error
%= instantiation_error
%= instantiation_error
%= type_error(callable,1)
%= uninstantiation_error(a)
%= true
%? all([(put_attr(_,_,c)), (put_attr(_,1,c)), (del_attr(_,_))]), true
%= instantiation_error
%= type_error(atom,1)
%= instantiation_error
%= true
