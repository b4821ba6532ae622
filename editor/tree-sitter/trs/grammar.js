/**
 * Programs of many-sorted term rewriting: `.trs` texts of gchr, as `docs/language-trs.md` describes them.
 */

/// <reference types="tree-sitter-cli/dsl" />

const list = (separator, rule) => seq(rule, repeat(seq(separator, rule)));

/** Operators between operands by level, 1 is loosest. Comparisons do not associate; a chain of them is read all the same. `|>` associates to the right. */
const OPERATORS = [
  ["||"],
  ["&&"],
  ["==", "!=", "<", "<=", ">", ">=", ":=", "in"],
  ["|>"],
  ["<|"],
  ["++"],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "div", "mod", "."],
];
const PREFIX = OPERATORS.length + 1;

export default grammar({
  name: "trs",

  extras: $ => [/[ \t\r\n\f\uFEFF]/, $.comment],

  word: $ => $.name,

  reserved: {
    global: _ => ["sort", "struct", "cons", "map", "var", "eqn", "input", "div", "mod"],
  },

  // `S^24(X)` and the operator `^` differ in what follows the number.
  conflicts: $ => [[$._term, $.power]],

  rules: {
    source_file: $ => repeat($._section),

    _section: $ => choice(
      $.sort_section,
      $.constructor_section,
      $.map_section,
      $.variable_section,
      $.equation_section,
      $.input_section,
      $.import_section,
      $.strategy_section,
    ),

    sort_section: $ => seq("sort", repeat(seq($.sort_declaration, ";"))),
    constructor_section: $ => seq("cons", repeat(seq($.symbol_declaration, ";"))),
    map_section: $ => seq("map", repeat(seq($.symbol_declaration, ";"))),
    variable_section: $ => seq("var", repeat(seq($.variable_declaration, ";"))),
    equation_section: $ => seq("eqn", repeat(seq($.equation, ";"))),
    import_section: $ => seq("import", field("file", $.text), ";"),
    strategy_section: $ => seq("strategy", repeat(seq($._strategy_clause, ";"))),
    input_section: $ => seq("input", field("term", $._term), optional(";")),

    sort_declaration: $ => choice(
      seq(field("name", $.name), optional($.parameters), "=", "struct", list("|", $.struct_symbol)),
      seq(field("name", $.name), optional($.parameters), "=", field("alias", $._any_sort)),
      seq(field("name", $.name), $.parameters),
      list(",", field("name", $.name)),
    ),
    parameters: $ => seq("(", list(",", $.name), ")"),
    struct_symbol: $ => seq(
      field("name", $.name),
      optional(seq("(", optional(list(",", $.struct_argument)), ")")),
      optional(seq("?", field("recogniser", $.name))),
    ),
    struct_argument: $ => seq(
      optional(seq(field("projection", $.name), ":")),
      field("sort", $._any_sort),
    ),

    _sort: $ => choice($.name, $.sort_application, $._bracketed_sort),
    _bracketed_sort: $ => seq("(", choice($._sort, $.function_sort), ")"),
    function_sort: $ => seq(list("#", field("argument", $._sort)), "->", field("result", $._sort)),
    _any_sort: $ => choice($._sort, $.function_sort),
    sort_application: $ => seq(field("name", $.name), "(", list(",", field("argument", $._any_sort)), ")"),

    symbol_declaration: $ => seq(
      list(",", field("name", $.name)),
      ":",
      optional(seq(list("#", field("argument", $._sort)), "->")),
      field("result", $._sort),
      optional($.axioms),
    ),
    axioms: $ => seq("[", repeat1(choice("assoc", "comm", seq("id", ":", field("identity", $.name)))), "]"),

    variable_declaration: $ => seq(
      list(",", field("name", $.name)),
      ":",
      field("sort", choice($._any_sort, "sort")),
    ),

    _strategy_clause: $ => choice("innermost", "outermost", $.symbol_strategy, $.list_strategy),
    symbol_strategy: $ => seq(field("symbol", $.name), "(", optional(list(",", $.argument_strategy)), ")"),
    list_strategy: $ => seq($.argument_strategy, "|>", $.argument_strategy),
    argument_strategy: _ => choice("_", "lazy", "frozen"),

    equation: $ => seq(
      optional(seq(field("condition", $._term), "->")),
      field("left", $._term),
      "=",
      field("right", $._term),
      optional($.values),
      optional(seq("[", "owise", "]")),
    ),
    values: $ => seq("whr", list(",", $.binding), "end"),
    binding: $ => seq(field("name", $.name), "=", field("value", $._term)),

    _term: $ => choice(
      $.name,
      alias("lambda", $.name),
      $.integer,
      $.float,
      $.text,
      $.character,
      $.application,
      $.power,
      $.prefix_operation,
      $.operation,
      $.parentheses,
      $.list,
      $.value_application,
      $.lambda,
    ),

    value_application: $ => prec(PREFIX + 1, seq(
      field("function", choice($.application, $.power, $.parentheses, $.value_application)),
      $.arguments,
    )),
    lambda: $ => prec.right(seq("lambda", list(",", $.lambda_parameters), ".", field("body", $._term))),
    lambda_parameters: $ => seq(list(",", field("name", $.name)), ":", field("sort", $._any_sort)),

    list: $ => seq("[", optional(list(",", $._term)), "]"),

    application: $ => seq(field("symbol", $.name), $.arguments),
    arguments: $ => seq("(", optional(list(",", $._term)), ")"),

    power: $ => seq(
      field("symbol", $.name),
      "^",
      field("count", $.integer),
      "(",
      field("argument", $._term),
      ")",
    ),

    prefix_operation: $ => prec(PREFIX, seq(
      field("operator", choice("-", "!", "#")),
      field("operand", $._term),
    )),

    operation: $ => choice(...OPERATORS.map((operators, level) => (operators[0] === "|>" ? prec.right : prec.left)(level + 1, seq(
      field("left", $._term),
      field("operator", operators.length > 1 ? choice(...operators) : operators[0]),
      field("right", $._term),
    )))),

    parentheses: $ => seq("(", $._term, ")"),

    name: _ => /[A-Za-z_][A-Za-z0-9_']*/,
    integer: _ => /[0-9]+/,
    float: _ => /[0-9]+(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/,
    text: _ => /"([^"\\\n]|\\[^\n])*"/,
    character: _ => /'([^'\\\n]|\\[^\n])+'/,
    comment: _ => /%[^\n]*/,
  },
});
