% Runs one of the constraint programs of this project under library(chr) of SWI-Prolog:
%   swipl run_chr.pl -- PROGRAM.pl GOALS STORE
% PROGRAM.pl is the text without its queries. Prints the seconds that GOALS took; writes the final store to the file STORE, one
% constraint a line.
:- initialization(main, main).

main([Program, GoalText, Store]) :-
    load_files(user:Program, [silent(true)]),
    term_to_atom(Goals, GoalText),
    garbage_collect,
    get_time(Start),
    ( call(user:Goals) -> true ; throw(failed(GoalText)) ),
    get_time(End),
    setup_call_cleanup(open(Store, write, Out), write_store(Out), close(Out)),
    Seconds is End - Start,
    format("seconds ~6f~n", [Seconds]).

write_store(Out) :-
    forall(user:current_chr_constraint(Constraint),
           format(Out, "~q~n", [Constraint])).
