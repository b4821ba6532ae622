% A program whose answers do not show the store.
:- use_module(library(chr)).
:- set_prolog_flag(chr_toplevel_show_store, false).
:- chr_constraint step(?any), seen(?any).
step(0) <=> true.
step(N) <=> N > 0 | seen(N), M is N-1, step(M).

%? step(3)
%= true
%? step(2), findall(X, find_chr_constraint(seen(X)), L), msort(L, S)
%= L = S
%= S = [1, 2]
%? step(1), current_prolog_flag(chr_toplevel_show_store, F)
%= F = false
%? set_prolog_flag(chr_toplevel_show_store, true), step(1)
%= seen(1)
