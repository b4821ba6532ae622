/**
 * Programs of Constraint Handling Rules: `.chr` texts of gchr, as `docs/language-chr.md` describes them.
 *
 * Terms have the operators of SWI-Prolog with library(chr) and library(clpfd). What `op/3` declares is not known here: any other
 * symbol or name between two operands is an operator that binds like a comparison. Whether a symbol where an operand begins is an
 * operator or an atom is decided by what follows it, in `src/scanner.c`.
 */

/// <reference types="tree-sitter-cli/dsl" />

const list = (separator, rule) => seq(rule, repeat(seq(separator, rule)));
const anyOf = operators => operators.length > 1 ? choice(...operators) : operators[0];

/** Operators that bind tighter than a comma: by level, the greatest number is tightest. */
const TIGHT = [
  // 900
  ["fy", 10, ["\\+"]],
  // 800 to 710
  ["xfy", 11, [":="]],
  ["yfx", 12, ["#<==>"]],
  ["xfy", 13, ["#==>"]],
  ["yfx", 13, ["#<=="]],
  ["yfx", 14, ["#\\/"]],
  ["yfx", 15, ["#\\"]],
  ["yfx", 16, ["#/\\"]],
  ["fy", 17, ["#\\"]],
  // 700
  ["yfx", 18, [
    "<", "=", "=..", "=@=", "=:=", "=<", "==", "=\\=", ">", ">=", "@<", "@=<", "@>", "@>=", "\\=", "\\==", "\\=@=", "as", "is", ">:<", ":<",
    "#>", "#<", "#>=", "#=<", "#=", "#\\=", "in", "ins", "in_set",
  ]],
  // 600 and 500
  ["xfy", 20, [":"]],
  ["yfx", 21, ["+", "-", "/\\", "\\/", "#"]],
  // 450 and 400
  ["yfx", 22, [".."]],
  ["yfx", 23, ["*", "/", "//", "mod", "rdiv", "<<", ">>", "div", "rem", "xor"]],
  // 201 and 200
  ["yfx", 24, ["**", "+\\"]],
  ["xfy", 24, ["^"]],
  ["fy", 25, ["-", "+", "\\", "$", "?"]],
];
/** The level of operators of the program's own. */
const OWN = 18;

/** Operators of goals that bind weaker than what stands between two commas. */
const CONTROL = [
  ["xfy", 4, [";"]],
  ["xfy", 5, ["->", "*->"]],
];
/** Operators of whole clauses, which stand inside of brackets only. */
const CLAUSES = [
  ["yfx", -4, [":-", "-->", "=>", "@"]],
  ["fy", -4, [":-", "?-"]],
  ["yfx", -3, ["pragma"]],
  ["yfx", -2, ["<=>", "==>"]],
  ["yfx", -1, ["--->"]],
  ["yfx", 3, ["\\"]],
];
const BAR = ["xfy", 2, ["|"]];
const COMMA = ["xfy", 6, [","]];

const associate = (fixity, level, rule) => fixity === "yfx" ? prec.left(level, rule) : prec.right(level, rule);

const between = (operand, operators) => choice(
  ...operators.filter(([fixity]) => fixity !== "fy").map(([fixity, level, names]) => associate(fixity, level, seq(
    field("left", operand),
    field("operator", anyOf(names)),
    field("right", operand),
  ))),
);

const before = (operand, operators) => choice(
  ...operators.filter(([fixity]) => fixity === "fy").map(([fixity, level, names]) => associate(fixity, level, seq(
    field("operator", anyOf(names)),
    field("operand", operand),
  ))),
);

/** Characters of symbols: those of Prolog, and symbols and punctuation of Unicode. */
const SYMBOL = "[+\\-\\\\^<>=~:.?@#&$*/[\\p{S}\\p{P}\\p{No}--[\\x00-\\x7F\\p{XID_Continue}]]]";

const DECLARATIONS = [
  "chr_constraint", "chr_type", "chr_declaration", "chr_preprocessor", "constraints", "handler", "rules", "discontiguous", "dynamic",
  "initialization", "meta_predicate", "module_transparent", "multifile", "public", "table", "thread_initialization", "thread_local",
  "volatile", "record",
];
/** Those that begin a clause without `:-`, too. */
const OLD_DECLARATIONS = ["constraints", "handler", "rules", "chr_type"];

export default grammar({
  name: "chr",

  externals: $ => [
    $.block_comment,
    // The full stop of a clause.
    $._end,
    // A symbol where an operand begins that is no operator.
    $._symbol_atom,
    // A symbol behind an operand before which nothing follows.
    $._postfix_symbol,
    // Never valid: is only while an error is recovered from.
    $._error_sentinel,
  ],

  extras: $ => [/[\s\uFEFF]/, $.comment, $.block_comment],

  word: $ => $.name,

  rules: {
    source_file: $ => repeat(choice(
      $.directive,
      $.query,
      $.rule,
      $.clause,
      $.grammar_rule,
      $.fact,
    )),

    directive: $ => choice(
      seq(":-", choice($.declaration, $._goals, seq($.declaration, ",", $._goals)), $._end),
      seq(alias($._old_declaration, $.declaration), $._end),
    ),

    // `dynamic a/1, b/2`, `dynamic(a/1)`.
    declaration: $ => choice(
      prec.right(seq(field("keyword", choice(...DECLARATIONS)), list(",", $._argument))),
      seq(field("keyword", choice(...DECLARATIONS)), field("arguments", $.arguments)),
    ),
    _old_declaration: $ => choice(
      seq(field("keyword", choice(...OLD_DECLARATIONS)), list(",", $._argument)),
      seq(field("keyword", choice(...OLD_DECLARATIONS)), field("arguments", $.arguments)),
    ),

    query: $ => seq("?-", field("goals", $._goals), $._end),

    rule: $ => seq(
      optional(seq(field("name", $._term), "@")),
      choice(
        seq(field("heads", $.heads), optional(seq("\\", field("removed", $.heads))), field("arrow", "<=>")),
        seq(field("heads", $.heads), field("arrow", "==>")),
      ),
      optional(seq(field("guard", $.guard), "|")),
      field("body", $.body),
      optional(seq("pragma", field("pragmas", $.pragmas))),
      $._end,
    ),
    heads: $ => list(",", $._term),
    guard: $ => $._goals,
    body: $ => $._goals,
    pragmas: $ => list(",", $._term),

    clause: $ => choice(
      seq(field("head", $._term), ":-", field("body", $.body), $._end),
      seq(field("heads", $.heads), "=>", field("body", $.body), $._end),
    ),
    grammar_rule: $ => seq(
      field("head", $._term),
      optional(seq(",", field("pushback", $._term))),
      "-->",
      field("body", alias($._grammar_body, $.body)),
      $._end,
    ),
    _grammar_body: $ => $._bracketed,
    fact: $ => seq(field("head", $._term), $._end),

    // What stands between two commas of a body.
    _term: $ => choice(
      $._primary,
      alias($._tight_operation, $.operation),
      alias($._tight_prefix, $.prefix_operation),
      alias($._postfix, $.postfix_operation),
    ),
    _tight_operation: $ => choice(
      between($._term, TIGHT),
      prec.left(OWN, seq(
        field("left", $._term),
        field("operator", alias(choice($._symbol, $.name), $.operator)),
        field("right", $._term),
      )),
    ),
    _tight_prefix: $ => choice(
      before($._term, TIGHT),
      prec.right(OWN, seq(field("operator", alias($._symbol, $.operator)), field("operand", $._term))),
    ),
    _postfix: $ => prec.left(OWN, seq(
      field("operand", $._term),
      field("operator", alias($._postfix_symbol, $.operator)),
    )),

    // Goals of a body: without the bar of a guard.
    _goals: $ => choice($._term, alias($._goal_operation, $.operation)),
    _goal_operation: $ => between($._goals, [...CONTROL, COMMA]),

    // All that may stand in round or curly brackets.
    _bracketed: $ => choice(
      $._term,
      alias($._bracketed_operation, $.operation),
      alias($._bracketed_prefix, $.prefix_operation),
    ),
    _bracketed_operation: $ => between($._bracketed, [...CLAUSES, ...CONTROL, BAR, COMMA]),
    _bracketed_prefix: $ => before($._bracketed, CLAUSES),

    // An item of a list: without commas and bars.
    _item: $ => choice(
      $._term,
      alias($._item_operation, $.operation),
      alias($._item_prefix, $.prefix_operation),
    ),
    _item_operation: $ => between($._item, [...CLAUSES, ...CONTROL]),
    _item_prefix: $ => before($._item, CLAUSES),

    // An argument: bars are operators.
    _argument: $ => choice($._item, alias($._argument_operation, $.operation)),
    _argument_operation: $ => prec.right(seq(
      field("left", $._item),
      field("operator", "|"),
      field("right", $._argument),
    )),

    _primary: $ => choice(
      $._atom,
      $.compound,
      $.variable,
      $.integer,
      $.character,
      $.float,
      $.rational,
      $.string,
      $.codes,
      $.list,
      $.braces,
      $.parentheses,
    ),

    _atom: $ => choice(
      $.name,
      $.quoted_name,
      alias($._symbol_atom, $.symbol),
      alias("!", $.cut),
    ),

    compound: $ => seq(
      field("functor", choice($._atom, alias($._empty_list, $.list), alias($._empty_braces, $.braces))),
      field("arguments", $.arguments),
    ),
    arguments: $ => seq(token.immediate(prec(1, "(")), optional(list(",", $._argument)), ")"),

    _empty_list: _ => seq("[", "]"),
    _empty_braces: _ => seq("{", "}"),
    list: $ => choice(
      $._empty_list,
      seq("[", list(",", $._item), optional(seq("|", field("tail", $._item))), "]"),
    ),
    braces: $ => choice($._empty_braces, seq("{", $._bracketed, "}")),
    parentheses: $ => seq("(", $._bracketed, ")"),

    variable: _ => new RustRegex("[\\p{Lu}_]\\p{XID_Continue}*"),
    name: _ => new RustRegex("[\\p{XID_Start}--\\p{Lu}]\\p{XID_Continue}*"),
    quoted_name: _ => /'([^'\\]|''|\\([^x0-7]|x[0-9A-Fa-f]+\\?|[0-7]+\\?))*'/,
    string: _ => /"([^"\\]|""|\\([^x0-7]|x[0-9A-Fa-f]+\\?|[0-7]+\\?))*"/,
    codes: _ => /`([^`\\]|``|\\([^x0-7]|x[0-9A-Fa-f]+\\?|[0-7]+\\?))*`/,
    _symbol: _ => new RustRegex(`${SYMBOL}+`),

    integer: _ => token(choice(
      /[0-9]+(_\s*[0-9]+)*/,
      /0x[0-9A-Fa-f]+(_\s*[0-9A-Fa-f]+)*/,
      /0o[0-7]+(_\s*[0-7]+)*/,
      /0b[01]+(_\s*[01]+)*/,
      /([2-9]|[12][0-9]|3[0-6])'[0-9A-Za-z]+(_\s*[0-9A-Za-z]+)*/,
    )),
    float: _ => /[0-9]+(_\s*[0-9]+)*(\.[0-9]+(Inf|NaN|[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/,
    rational: _ => /[0-9]+r[0-9]+/,
    character: _ => /0'([^'\\]|''?|\\([^xuU0-7]|x[0-9A-Fa-f]+\\?|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]+\\?))/,

    comment: _ => /%[^\n]*/,
  },
});
