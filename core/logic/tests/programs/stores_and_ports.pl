% What is shown of a store, and which ports a trace may be asked for.
:- use_module(library(chr)).
:- chr_constraint item(?).
item(X) \ item(X) <=> true.
raised(G, F) :- catch(G, error(F, _), true).

%? raised(chr_show_store(_), F)
%= F = instantiation_error
%? item(1), chr_show_store(user), chr_show_store(nowhere)
%= item(1)
%= item(1)
%= item(1)
%? chr_leash(none), chr_leash(all), chr_leash(default), chr_leash(off), chr_leash(call), chr_leash([exit, redo, call])
%= true
%? raised(chr_leash(somewhere), F)
%= F = domain_error(chr_port, somewhere)
%? raised(chr_leash([call, somewhere]), F)
%= F = domain_error(chr_port, somewhere)
