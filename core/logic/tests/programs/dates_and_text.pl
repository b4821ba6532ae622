% Dates, grammars of text, and text that is put together.
:- use_module(library(chr)).
:- use_module(library(dcg/basics)).
:- use_module(library(dcg/high_order)).
:- set_prolog_flag(double_quotes, codes).
:- chr_constraint seen(?any).
assignment(N, V) --> blanks, string_without("=", Cs), "=", blanks, number(V), blanks, { atom_codes(N, Cs) }.
numbers(Ns) --> sequence(integer, ",", Ns).
%? format_time(atom(A), '%Y-%m-%d %H:%M:%S', 86400)
%= A = '1970-01-02 00:00:00'
%? stamp_date_time(1000000000, D, 'UTC'), date_time_stamp(D, T)
%= D = date(2001, 9, 9, 1, 46, 40.0, 0, 'UTC', -)
%= T = 1000000000.0
%? day_of_the_week(date(2024, 2, 29), W), date_time_stamp(date(1970, 1, 2, 0, 0, 0, 0, -, -), T)
%= W = 4
%= T = 86400.0
%? date_time_value(month, date(2001, 2, 3, 4, 5, 6.0, 0, 'UTC', -), M)
%= M = 2
%? phrase(assignment(N, V), " x= 42 ")
%= N = x
%= V = 42
%? phrase(assignment(N, V), "y=-1.5")
%= N = y
%= V = -1.5
%? phrase(numbers(L), "1,-2,30")
%= L = [1, -2, 30]
%? phrase((string(S), "b", remainder(R)), "abc"), atom_codes(A, S), atom_codes(B, R), seen(A-B)
%= S = [97]
%= R = [99]
%= A = a
%= B = c
%= seen(a-c)
%? phrase(xinteger(X), "ff")
%= X = 255
