% What has passed since the same was asked for last; the three are rounded apart from each other.
passed(Key) :- statistics(Key, _), statistics(Key, [A, _]), count(2000), statistics(Key, [B, P]), abs(P-(B-A)) =< 1.
now :- get_time(T), statistics(real_time, [R, _]), R >= truncate(T), R =< T+5.
count(0) :- !.
count(N) :- M is N-1, count(M).

%? passed(runtime), passed(walltime), passed(real_time)
%= true
%? now
%= true
%? catch(statistics(_, _), error(E, _), true)
%= E = instantiation_error
%? catch(statistics(no_such, _), error(E, _), true)
%= E = domain_error(statistics_key, no_such)
