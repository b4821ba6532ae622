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
        "abolish_all_tables chr_notrace chr_trace debug garbage_collect garbage_collect_atoms nodebug notrace repeat \
         ttyflush",
    ),
    (&[0, 1], "flush_output halt reset_gensym"),
    (&[0, 2], "statistics"),
    (
        &[1],
        "abolish acyclic_term assert asserta assertion assertz attvar chr_show_store current_predicate \
         cyclic_term empty_assoc find_chr_constraint get_code get_time instantiation_error is_assoc \
         is_list is_ordset is_set listing nl ord_empty peek_char peek_code portray_clause rational \
         resource_error retract retractall set_random set_random_seed setrand throw time tnot",
    ),
    (&[1, 2], "current_chr_constraint get_char put_char read shell tab write_canonical writef"),
    (&[1, 3], "random"),
    (&[1, 3, 4], "numbervars"),
    (
        &[2],
        "=.. =@= ?= \\=@= ^ apply assoc_to_keys assoc_to_list assoc_to_values atom_chars atom_codes \
         atom_length atom_number atom_string b_getval b_setval call_cleanup call_with_time_limit \
         char_code char_type clause clumped code_type copy_term_nat current_prolog_flag \
         dcg_translate_rule del_attr dif domain_error downcase_atom duplicate_term existence_error flatten freeze \
         frozen gensym get_attrs getenv group_pairs_by_key is_of_type keysort last length limit \
         list_to_assoc list_to_ord_set list_to_set max_list max_member member memberchk min_list \
         min_member msort must_be nb_current nb_getval nb_setval normalize_space normalize_space_text \
         number_chars number_codes number_string ord_disjoint ord_intersect ord_list_to_assoc \
         ord_memberchk ord_seteq ord_subset pairs_keys pairs_values permutation predicate_property \
         prefix print print_message prompt proper_length random_member random_permutation reverse \
         same_length set_prolog_flag set_stream string string_chars string_codes string_length string_lower \
         string_to_atom string_upper subset subsumes_term succ sum_list sumlist term_to_atom \
         text_to_string transpose transpose_pairs type_error unify_with_occurs_check upcase_atom when \
         with_output_to write writeln writeq",
    ),
    (
        &[2, 3],
        "append atomic_list_concat concat_atom copy_term map_assoc option phrase read_term \
         read_term_from_atom term_string term_variables write_term",
    ),
    (&[2, 3, 4], "ord_union"),
    (&[2, 3, 4, 5, 6], "maplist"),
    (&[2, 3, 4, 5, 6, 7], ">>"),
    (&[2, 4], "sort"),
    (
        &[3],
        "aggregate ansi_format arg atom_concat atom_to_term between call_with_depth_limit \
         call_with_inference_limit catch compare concat convlist current_op delete exclude flag format functor gen_assoc get_assoc get_attr include \
         intersection map_list_to_pairs max_assoc merge merge_options merge_set message_to_codes \
         min_assoc nb_setarg nextto numlist op ord_add_element ord_del_element ord_insert ord_intersection \
         ord_subtract ord_symdiff pairs_keys_values permission_error plus predsort print_message_lines \
         put_attr random_between random_select setarg setup_call_cleanup sformat string_code \
         string_concat subseq subtract text_concat unifiable union",
    ),
    (&[3, 4], "aggregate_all nth0 nth1 select select_option selectchk"),
    (&[4], "del_assoc findnsols foldr put_assoc split_string"),
    (&[4, 5], "partition"),
    (&[4, 5, 6], "foldl"),
    (&[5], "sub_atom sub_string"),
];

/// Whether the logic machine has a predicate that rules over ground stores do not have.
pub(crate) fn is_predicate(name: &str, arity: usize) -> bool {
    let listed = |(arities, names): &(&[usize], &str)| {
        arities.contains(&arity) && names.split_ascii_whitespace().any(|known| known == name)
    };
    PREDICATES.iter().any(listed)
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

/// Whether a directive is about reading, compiling or declaring, and no goal to run.
pub(crate) fn is_declaration(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("use_module" | "load_files" | "reexport", 1 | 2)
            | ("ensure_loaded" | "include" | "consult" | "license" | "handler" | "rules" | "encoding", 1)
            | ("module" | "chr_option" | "option" | "set_prolog_flag" | "use_foreign_library", 2)
            | ("op", 3)
            | ("chr_preprocessor" | "chr_declaration" | "style_check" | "multifile" | "table" | "public", 1)
            | ("discontiguous", 1..)
            | ("meta_predicate" | "module_transparent" | "noprofile" | "set_stream" | "garbage_collect", _)
    )
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
        ("cmpflags", &[2]),
        ("divmod", &[4]),
        ("float_integer_part", &[1]),
        ("float_fractional_part", &[1]),
    ];
    FUNCTIONS.iter().any(|(known, arities)| *known == name && arities.contains(&arity))
}
