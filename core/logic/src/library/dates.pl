% Dates: days are counted from 1970-01-01, in the time of Greenwich.
stamp_date_time(T, date(Y, M, D, H, Mi, S, 0, 'UTC', -), _) :-
    Days is floor(T/86400), Rest is T-Days*86400, '$civil'(Days, Y, M, D),
    H is floor(Rest/3600), Mi is floor((Rest-H*3600)/60), S is float(Rest-H*3600-Mi*60).
date_time_stamp(date(Y, M, D, H, Mi, S, Off, _, _), T) :- !, ( number(Off) -> O = Off ; O = 0 ),
    '$days'(Y, M, D, N), T is float(N*86400+H*3600+Mi*60+S+O).
date_time_stamp(date(Y, M, D), T) :- date_time_stamp(date(Y, M, D, 0, 0, 0, 0, -, -), T).
'$days'(Y, M, D, N) :- Y1 is Y-(14-M)//12, M1 is M+12*((14-M)//12)-3,
    N is D+(153*M1+2)//5+365*Y1+(Y1 div 4)-(Y1 div 100)+(Y1 div 400)-719469.
'$civil'(N, Y, M, D) :- Z is N+719468, E is Z div 146097, R is Z-E*146097,
    A is (R-R//1460+R//36524-R//146096)//365, Dy is R-(365*A+A//4-A//100), Mp is (5*Dy+2)//153,
    D is Dy-(153*Mp+2)//5+1, M is (Mp+2) mod 12+1, ( M =< 2 -> Y is A+E*400+1 ; Y is A+E*400 ).
date_time_value(year, date(Y, _, _, _, _, _, _, _, _), Y).
date_time_value(month, date(_, M, _, _, _, _, _, _, _), M).
date_time_value(day, date(_, _, D, _, _, _, _, _, _), D).
date_time_value(hour, date(_, _, _, H, _, _, _, _, _), H).
date_time_value(minute, date(_, _, _, _, M, _, _, _, _), M).
date_time_value(second, date(_, _, _, _, _, S, _, _, _), S).
date_time_value(date, date(Y, M, D, _, _, _, _, _, _), date(Y, M, D)).
date_time_value(time, date(_, _, _, H, M, S, _, _, _), time(H, M, S)).
day_of_the_week(date(Y, M, D), W) :- '$days'(Y, M, D, N), W is (N+3) mod 7+1.
day_of_the_year(date(Y, M, D), N) :- '$days'(Y, M, D, A), '$days'(Y, 1, 1, B), N is A-B+1.
format_time(Out, F, T) :- ( number(T) -> stamp_date_time(T, Date, 'UTC') ; T = date(Y, M, D) -> Date = date(Y, M, D, 0, 0, 0.0, 0, 'UTC', -) ; Date = T ),
    atom_codes(F, Cs), with_output_to(string(S), '$format_time'(Cs, Date)), ( '$takes_text'(Out) -> '$give'(Out, S) ; write(Out, S) ).
format_time(Out, F, T, _) :- format_time(Out, F, T).
'$format_time'([], _).
'$format_time'([0'%, C|Cs], D) :- !, char_code(Ch, C), ( '$time_part'(Ch, D) -> true ; put_char(Ch) ), '$format_time'(Cs, D).
'$format_time'([C|Cs], D) :- char_code(Ch, C), put_char(Ch), '$format_time'(Cs, D).
'$time_part'('Y', date(Y, _, _, _, _, _, _, _, _)) :- write(Y).
'$time_part'(y, date(Y, _, _, _, _, _, _, _, _)) :- Z is Y mod 100, '$two'(Z).
'$time_part'(m, date(_, M, _, _, _, _, _, _, _)) :- '$two'(M).
'$time_part'(d, date(_, _, D, _, _, _, _, _, _)) :- '$two'(D).
'$time_part'(e, date(_, _, D, _, _, _, _, _, _)) :- format('~t~w~2|', [D]).
'$time_part'('H', date(_, _, _, H, _, _, _, _, _)) :- '$two'(H).
'$time_part'('M', date(_, _, _, _, M, _, _, _, _)) :- '$two'(M).
'$time_part'('S', date(_, _, _, _, _, S, _, _, _)) :- I is truncate(S), '$two'(I).
'$time_part'('F', D) :- '$format_time'(`%Y-%m-%d`, D).
'$time_part'('D', D) :- '$format_time'(`%m/%d/%y`, D).
'$time_part'('T', D) :- '$format_time'(`%H:%M:%S`, D).
'$time_part'('R', D) :- '$format_time'(`%H:%M`, D).
'$time_part'(c, D) :- '$format_time'(`%a %b %e %H:%M:%S %Y`, D).
'$time_part'(a, D) :- '$weekday'(D, N), sub_atom(N, 0, 3, _, A), write(A).
'$time_part'('A', D) :- '$weekday'(D, N), write(N).
'$time_part'(b, D) :- '$month_name'(D, N), sub_atom(N, 0, 3, _, A), write(A).
'$time_part'('B', D) :- '$month_name'(D, N), write(N).
'$time_part'(j, date(Y, M, D, _, _, _, _, _, _)) :- day_of_the_year(date(Y, M, D), N), format('~|~`0t~w~3+', [N]).
'$time_part'('Z', date(_, _, _, _, _, _, _, Z, _)) :- write(Z).
'$time_part'(z, _) :- write('+0000').
'$time_part'(s, D) :- date_time_stamp(D, T), I is truncate(T), write(I).
'$time_part'(n, _) :- nl.
'$two'(N) :- ( N < 10 -> write(0) ; true ), write(N).
'$weekday'(date(Y, M, D, _, _, _, _, _, _), N) :- day_of_the_week(date(Y, M, D), W),
    nth1(W, ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], N).
'$month_name'(date(_, M, _, _, _, _, _, _, _), N) :-
    nth1(M, ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'], N).
