% Files that a program writes and reads again.
:- use_module(library(lists)).

save(File, Terms) :- open(File, write, S), forall(member(T, Terms), (writeq(S, T), write(S, '.'), nl(S))), close(S).
load(File, Terms) :- read_file_to_terms(File, Terms, []).
shout(File) :- tell(File), write(hello), nl, write('how are you'), nl, told.
lines(File, Ls) :- open(File, read, S), rest(S, Ls), close(S).
rest(S, Ls) :- read_line_to_string(S, L), ( L == end_of_file -> Ls = [] ; Ls = [L|T], rest(S, T) ).
letters([C|Cs]) --> [C], { C \== 10 }, !, letters(Cs).
letters([]) --> "\n".
:- dynamic base/1, derived/1.
derived_ones(L) :- findall(X, derived(X), L).

%? save('/tmp/gchr-test-a', [f(X, 'A b'), "s"]), load('/tmp/gchr-test-a', L), exists_file('/tmp/gchr-test-a'), delete_file('/tmp/gchr-test-a')
%= L = [f(_1, 'A b'), "s"]
%? shout('/tmp/gchr-test-b'), lines('/tmp/gchr-test-b', L), delete_file('/tmp/gchr-test-b')
%= L = ["hello", "how are you"]
%? shout('/tmp/gchr-test-c'), see('/tmp/gchr-test-c'), get_char(C), peek_char(D), seen, seeing(S), delete_file('/tmp/gchr-test-c')
%= C = h
%= D = e
%= S = user
%? shout('/tmp/gchr-test-d'), append('/tmp/gchr-test-d'), write(more), told, read_file_to_string('/tmp/gchr-test-d', T, []), delete_file('/tmp/gchr-test-d')
%= T = "hello\nhow are you\nmore"
%? open('/tmp/gchr-test-e', write, _, [alias(out)]), write(out, x), nl(out), close(out), phrase_from_file(letters(Cs), '/tmp/gchr-test-e'), delete_file('/tmp/gchr-test-e')
%= Cs = [120]
%? catch(open('/tmp/gchr-test-missing', read, _), error(E, _), true)
%= E = existence_error(source_sink, '/tmp/gchr-test-missing')
%? catch(write(no_stream, x), error(E, _), true)
%= E = existence_error(stream, no_stream)
%? save('/tmp/gchr-test-f.pl', [base(1), (derived(X) :- base(X)), base(2)]), consult('/tmp/gchr-test-f'), derived_ones(L), delete_file('/tmp/gchr-test-f.pl')
%= L = [1, 2]
