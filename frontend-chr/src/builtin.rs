//! Built-ins: goals with their arity, arithmetic functions, and Prolog control that is refused.

use gchr_base::op::Op;

/// A built-in goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    True,
    Fail,
    /// `X is E`.
    Is,
    /// `X = Y`.
    Unify,
    /// `X \= Y`.
    NotUnify,
    /// Comparison of two arithmetic expressions.
    Compare(Op),
    /// Comparison of two terms.
    Structural(Op),
    /// Type test.
    TypeTest(Op),
    /// `var`.
    Var,
    /// `nonvar`, `ground`.
    NonVar,
    /// Writes its argument: quoted or not, with a line end or not.
    Write {
        quoted: bool,
        newline: bool,
    },
    Newline,
    /// `format/1,2`.
    Format,
}

/// The built-in goal of a name and a number of arguments.
pub(crate) fn goal(name: &str, arity: usize) -> Option<Builtin> {
    use Builtin::*;
    Some(match (name, arity) {
        ("true", 0) => True,
        ("fail" | "false", 0) => Fail,
        ("nl", 0) => Newline,
        ("var", 1) => Var,
        ("nonvar" | "ground", 1) => NonVar,
        ("write", 1) => Write { quoted: false, newline: false },
        ("writeln", 1) => Write { quoted: false, newline: true },
        ("print" | "writeq", 1) => Write { quoted: true, newline: false },
        ("format", 1 | 2) => Format,
        ("is", 2) => Is,
        ("=", 2) => Unify,
        ("\\=", 2) => NotUnify,
        _ => match Op::of_constraints(name, arity, true)? {
            op if op.is_type_test() => TypeTest(op),
            op if op.is_structural() => Structural(op),
            op => Compare(op),
        },
    })
}

/// Names of built-in goals, for suggestions.
pub(crate) fn goal_names() -> impl Iterator<Item = &'static str> {
    let control = [
        "true", "fail", "false", "nl", "var", "nonvar", "ground", "write", "writeln", "print", "writeq",
        "format", "is",
    ];
    control.into_iter().chain(operator_names(true).filter(is_word))
}

/// Names of the operators that are goals, or of those that are functions.
fn operator_names(goals: bool) -> impl Iterator<Item = &'static str> {
    let wanted = Op::ALL.iter().filter(move |op| op.is_test() == goals);
    wanted.flat_map(|op| op.row().constraints).copied()
}

fn is_word(name: &&'static str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Prolog control that constraint programs here do not have, and what to write instead.
pub(crate) fn refused(name: &str, arity: usize) -> Option<(&'static str, &'static str)> {
    Some(match (name, arity) {
        ("->" | "*->", 2) => {
            ("if-then-else", "write one rule for each case, with the condition in its guard")
        }
        (";" | "|", 2) => ("disjunction", "write one rule for each alternative; rules do not search"),
        ("\\+", 1) | ("not", 1) => ("negation", "use the opposite test, such as \\== for == or >= for <"),
        ("!", 0) => ("cut", "leave it out: rules commit to the first match anyway"),
        ("call", 1..=8)
        | ("findall", 3 | 4)
        | ("forall", 2)
        | ("once" | "ignore", 1)
        | ("bagof" | "setof", 3) => ("calling goals", "write constraints and rules for it"),
        (":", 2) => ("the module of a goal", "leave it out: constraints are those of this program"),
        _ => return None,
    })
}

/// Predicates of Prolog and its libraries, by their numbers of arguments, separated by blanks.
const PREDICATES: &[(&[usize], &str)] = &[
    (
        &[0],
        "abolish_all_tables abort break chr_notrace chr_trace garbage_collect garbage_collect_atoms \
         garbage_collect_clauses main notrace otherwise repeat seen told trace tracing trim_heap \
         trim_stacks ttyflush",
    ),
    (&[0, 1], "$ at_end_of_stream flush_output halt nodebug reset_gensym"),
    (&[0, 1, 2], "maybe run_tests"),
    (&[0, 1, 3], "debug"),
    (&[0, 2], "statistics"),
    (
        &[1],
        "$enumerate_constraints abolish acyclic_term all_different all_distinct assert asserta assertion assertz attvar \
         backtrace chr_leash chr_show_store circuit compile_predicates consult context_module current_input current_key \
         current_module current_output current_predicate cyclic_term debugging del_attrs delete_file disjoint2 displayq \
         empty_fdset is_fdset \
         empty_assoc empty_heap empty_nb_set ensure_loaded erase exists_directory exists_file fd_var \
         find_chr_constraint get get0 get_time getrand ht_is_hashtable ht_new ignore indomain instantiation_error is_alnum \
         is_alpha is_ascii is_assoc is_csym is_csymf is_digit is_endline is_graph is_heap is_list \
         is_lower is_most_general_term is_newline is_ordset is_period is_punct is_quote is_rbtree \
         is_set is_space is_stream is_upper is_white label lex_chain license listing mutex_create \
         mutex_destroy mutex_lock mutex_trylock mutex_unlock nl no_style_check nospy not once \
         ord_empty prompt1 proper_list raise_exception rb_empty rb_new representation_error \
         resource_error retract retractall see seeing set_input set_output set_random set_random_seed \
         setrand shift simple skip sleep spy style_check syntax_error tell telling thread_self throw \
         time tnot uninstantiation_error unsetenv write_ln",
    ),
    (
        &[1, 2],
        "#\\ close cumulative current_chr_constraint display distinct get_byte get_char get_code \
         initialization peek_byte peek_char peek_code profile put put_byte put_char \
         put_code read shell tab use_module write_canonical writef",
    ),
    // Of library(dialect/hprolog).
    (&[1], "empty_ds remove_alarm uninstall_alarm"),
    (&[2], "ds_to_list get_store init_store max_go_list memberchk_eq or_list update_store"),
    (
        &[3],
        "bounded_sublist chr_delete drop get_ds intersect_eq list_difference_eq make_get_store_goal \
         make_get_store_goal_no_error make_init_store_goal make_update_store_goal take time",
    ),
    (&[4], "put_ds split_at substitute_eq"),
    (&[1, 2, 3], "append"),
    (&[1, 2], "install_alarm"),
    (&[3, 4], "alarm alarm_at"),
    (&[2], "assert asserta assertz expand_goal expand_term prolog_load_context"),
    (&[1, 3], "random rational reduced"),
    (&[3, 5], "ht_put"),
    (&[3, 8], "automaton"),
    (&[1, 3, 4], "numbervars"),
    (
        &[2],
        "#/\\ #< #<== #<==> #= #=< #==> #> #>= #\\/ #\\= =.. =@= ?= \\=@= ^ abs access_file acos apply asin atomics_to_string \
         assoc_to_keys assoc_to_list assoc_to_values atan atom_chars atom_codes atom_length \
         atom_number atom_string atom_to_chars b_getval b_setval blank blanks blanks_to_nl call_nth \
         ceiling chain char_code char_type checklist clause clumped code_type \
         comma_list complement contains_term contains_var copy_predicate_clauses copy_term_nat cos \
         current_prolog_flag date_time_stamp day_of_the_week day_of_the_year dcg_translate_rule \
         del_attr dif domain_error downcase_atom duplicate_term edges eol eos fd_degree fd_dom fd_inf fd_set fd_size \
         fd_sup fdset_complement fdset_disjoint fdset_eq fdset_max fdset_member fdset_min fdset_singleton fdset_size \
         fdset_subset fdset_to_list fdset_to_range file_base_name file_directory_name flatten floor forall foreach free_of_term \
         free_of_var free_variables freeze frozen gen_nb_set gensym get_attrs getenv \
         group_pairs_by_key hash_term heap_size ht_keys ht_pairs ht_size ht_values heap_to_list in in_set ins instance is_of_type keysort \
         labeling last length limit list_to_assoc list_to_fdset list_to_heap list_to_ord_set list_to_rbtree \
         list_to_set log max_list member memberchk min_list most_general_goal msort must_be name \
         nb_current nb_getval nb_linkval nb_set_to_list nb_setval nonground normalize_space \
         normalize_space_text number_chars number_codes number_string number_to_chars offset \
         ord_disjoint ord_list_to_assoc ord_list_to_rbtree ord_memberchk ord_seteq ord_subset \
         order_by pairs_keys pairs_values permutation pi_head predicate_property prefix print \
         print_message print_term prolog_flag prompt proper_length random_member range_to_fdset random_permutation \
         rb_keys rb_size rb_visit read_from_chars read_from_codes read_line_to_string reverse round \
         same_length same_term semicolon_list serialized set_prolog_flag set_stream setenv sign sin size_nb_set \
         sqrt stream_property string_chars string_codes string_length string_lines string_lower string_to_atom \
         string_upper sub_term sub_var subset subsumes subsumes_chk subsumes_term succ sum_list \
         sumlist tan term_attvars term_hash term_singletons term_size term_to_atom text_to_string \
         to_lower to_upper top_sort transitive_closure transpose transpose_pairs transpose_ugraph \
         tuples_in type_error unify_with_occurs_check unknown upcase_atom variant variant_hash \
         variant_sha1 varnumbers vertices when white whites with_mutex with_output_to \
         with_output_to_chars with_output_to_codes write write_to_chars write_to_codes writeln writeq",
    ),
    (
        &[2, 3],
        "absolute_file_name add_nb_set atomic_list_concat call_cleanup call_with_time_limit concat_atom concurrent_forall copy_term \
         existence_error global_cardinality map_assoc max_member min_member option ord_intersect \
         phrase phrase_from_file phrase_from_stream rb_map read_line_to_codes read_stream_to_codes read_term read_term_from_atom recorda \
         recorded recordz string swritef term_string term_variables write_term",
    ),
    (&[3], "max_var_number varnumbers varnumbers_names"),
    (&[4], "copy_term copy_term_nat interpolate_string rb_partial_map"),
    (&[1, 2, 3], "portray_clause"),
    (&[2], "@ base64 base64url open_string tmp_file"),
    (&[1], "open_null_stream"),
    (&[3], "base64_encoded csv_read_file_row csv_write_stream dedent_lines rb_clone tmp_file_stream"),
    (&[2, 3], "csv_read_file csv_write_file"),
    (&[3, 4], "csv indent_lines"),
    (&[2, 3, 4], "concurrent_maplist ord_intersection ord_union same_functor"),
    (&[2, 3, 4, 5, 6], "maplist"),
    (&[2, 3, 4, 5, 6, 7, 8, 9], ">> /"),
    (&[2, 4], "sort"),
    (
        &[3],
        "C add_edges add_vertices aggregate alpha_to_lower ansi_format arg atom atom_concat call_dcg clause \
         atom_to_term bagof between call_with_depth_limit call_with_inference_limit catch \
         catch_with_backtrace compare compose compound_name_arguments compound_name_arity concat \
         concurrent convlist csym csyms current_op date_time_value del_edges del_vertices delete \
         digit digits element exclude extend_goal file_name_extension first_solution flag float \
         format format_to_chars format_to_codes functor gen_assoc genarg get_assoc get_attr ht_del ht_gen ht_get ht_put_new \
         head_name_arity include integer intersection map_list_to_pairs mapargs mapsubterms max_assoc \
         merge merge_heaps merge_options merge_set message_to_codes min_assoc mkconj mkdisj \
         nb_linkarg nb_setarg neighbors neighbours nextto nonblank nonblanks nth_clause number \
         numlist occurrences_of_term occurrences_of_var on_exception op ord_add_element \
         ord_del_element ord_insert ord_selectchk ord_subtract ord_symdiff pairs_keys_values \
         permission_error plus pow predsort print_message_lines prolog_symbol put_attr random_between \
         random_select random_subseq randseq randset rb_in rb_lookup rb_max rb_min reachable \
         read_file_to_codes read_file_to_string read_file_to_terms read_string read_term_from_codes remainder setarg setof setup_call_cleanup sformat \
         singleton_heap stamp_date_time string_code string_concat strip_module sublist subseq \
         subtract sum text_concat ugraph_union unifiable union vertices_edges_to_ugraph write_length \
         write_term_to_codes xdigit xdigits xinteger zcompare fdset_add_element fdset_del_element fdset_intersection \
         fdset_interval fdset_subtract fdset_union",
    ),
    (&[3, 4], "aggregate_all findall format_time nth0 nth1 open rb_delete select select_option selectchk"),
    (&[3, 5], "min_of_heap"),
    (
        &[4],
        "add_to_heap aggregate del_assoc del_max_assoc del_min_assoc delete_from_heap divmod findnsols foldr \
         get_from_heap group_by ht_update nth_integer_root_and_remainder optional put_assoc random_perm2 \
         rb_apply rb_del_max rb_del_min rb_fold rb_insert rb_insert_new rb_next scalar_product \
         setup_call_catcher_cleanup split_string string_without",
    ),
    (&[4, 5], "foldsubterms partition rb_update scanl"),
    (&[4, 5, 6, 7], "foldl"),
    (&[4, 5, 7], "sequence"),
    (&[5], "read_string sub_atom sub_string"),
];

/// Predicates of ISO Prolog, which no program may define anew, as SWI-Prolog has it.
const PROTECTED: &[(usize, &str)] = &[
    (0, "! at_end_of_stream fail false flush_output halt nl repeat true"),
    (
        1,
        "\\+ abolish acyclic_term asserta assertz at_end_of_stream atom atomic call callable close compound \
         current_input current_output current_predicate dynamic float flush_output get_byte get_char get_code \
         ground halt integer nl nonvar number once peek_byte peek_char peek_code put_byte put_char put_code read \
         retract retractall set_input set_output throw var write write_canonical writeq",
    ),
    (
        2,
        ", -> ; < = =.. =:= =< == =\\= > >= @< @=< @> @>= \\= \\== atom_chars atom_codes atom_length call \
         char_code clause close copy_term current_prolog_flag get_byte get_char get_code is keysort length \
         number_chars number_codes peek_byte peek_char peek_code phrase predicate_property put_byte put_char \
         put_code read read_term set_prolog_flag sort stream_property subsumes_term term_variables \
         unify_with_occurs_check with_mutex write write_canonical write_term writeq",
    ),
    (
        3,
        "arg atom_concat bagof call catch compare current_op findall functor numbervars op open phrase read_term \
         setof write_term",
    ),
    (4, "call open"),
    (5, "call sub_atom"),
    (6, "call"),
    (7, "call"),
    (8, "call"),
];

/// Whether a predicate belongs to ISO Prolog, so that no clauses of a program define it.
pub(crate) fn is_protected(name: &str, arity: usize) -> bool {
    PROTECTED
        .iter()
        .any(|(n, names)| *n == arity && names.split_ascii_whitespace().any(|known| known == name))
}

/// Whether the logic machine has a predicate that rules over ground stores do not have.
pub(crate) fn is_predicate(name: &str, arity: usize) -> bool {
    let listed = |(arities, names): &(&[usize], &str)| {
        arities.contains(&arity) && names.split_ascii_whitespace().any(|known| known == name)
    };
    PREDICATES.iter().any(listed)
}

/// All predicates that programs may call, and do not define.
#[cfg(test)]
pub(crate) fn all_predicates() -> impl Iterator<Item = (&'static str, usize)> {
    const CONTROL: &[(&[usize], &str)] = &[
        (&[1], "\\+ not once ignore"),
        (&[2], ", ; | -> *-> forall"),
        (&[3], "bagof setof"),
        (&[1, 2, 3, 4, 5, 6, 7, 8], "call"),
    ];
    CONTROL.iter().chain(PREDICATES).flat_map(|(arities, names)| {
        names.split_ascii_whitespace().flat_map(|name| arities.iter().map(move |&arity| (name, arity)))
    })
}

/// Whether a name is a goal that no constraint may redefine.
pub(crate) fn is_goal(name: &str, arity: usize) -> bool {
    let is_control = refused(name, arity).is_some() && name != ":";
    goal(name, arity).is_some() || is_control || (name == "," && arity == 2)
}

/// Names of arithmetic functions and constants, for suggestions.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    // A name of one letter is near to every other one.
    let constants = gchr_base::op::CONSTANTS.map(|(name, _)| name).into_iter().filter(|name| name.len() > 1);
    operator_names(false).filter(is_word).chain(constants)
}

/// All arithmetic functions, in the order of the table, as messages list them.
pub(crate) fn function_list() -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in operator_names(false) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" ")
}

/// Arithmetic functions that only the logic machine has.
pub(crate) fn is_function(name: &str, arity: usize) -> bool {
    const FUNCTIONS: &[(&str, &[usize])] = &[
        ("sqrt", &[1]),
        ("sin", &[1]),
        ("cos", &[1]),
        ("tan", &[1]),
        ("asin", &[1]),
        ("acos", &[1]),
        ("atan", &[1, 2]),
        ("atan2", &[2]),
        ("sinh", &[1]),
        ("cosh", &[1]),
        ("tanh", &[1]),
        ("exp", &[1]),
        ("log", &[1, 2]),
        ("log2", &[1]),
        ("random", &[0, 1]),
        ("random_float", &[0]),
        ("cputime", &[0]),
        ("realtime", &[0]),
        ("max_tagged_integer", &[0]),
        ("min_tagged_integer", &[0]),
        ("max_integer", &[0]),
        ("min_integer", &[0]),
        ("inf", &[0]),
        ("infinite", &[0]),
        ("nan", &[0]),
        ("copysign", &[2]),
        ("rdiv", &[2]),
        ("truncate", &[1]),
        ("trunc", &[1]),
        ("ceiling", &[1]),
        ("cot", &[1]),
        ("succ", &[1]),
        ("plus", &[2]),
        ("lcm", &[2]),
        ("powm", &[3]),
        ("popcount", &[1]),
        ("getbit", &[2]),
        ("lsb", &[1]),
        ("nexttoward", &[2]),
        ("numerator", &[1]),
        ("denominator", &[1]),
        ("rational", &[1]),
        ("rationalize", &[1]),
        ("cmpflags", &[2]),
        ("divmod", &[4]),
        ("float_integer_part", &[1]),
        ("float_fractional_part", &[1]),
    ];
    FUNCTIONS.iter().any(|(known, arities)| *known == name && arities.contains(&arity))
}
