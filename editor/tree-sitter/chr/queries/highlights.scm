(comment) @comment
(block_comment) @comment

(variable) @variable
(integer) @number
(float) @number
(rational) @number
(character) @character
(string) @string
(codes) @string
(quoted_name) @string.special
(cut) @keyword

; Rules and other clauses.
(rule name: (_) @label "@" @keyword.operator)
(rule arrow: _ @keyword.operator)
(rule ["\\" "|"] @keyword.operator)
(rule "pragma" @keyword)
(directive ":-" @keyword.operator)
(query "?-" @keyword.operator)
(clause [":-" "=>"] @keyword.operator)
(grammar_rule "-->" @keyword.operator)

; Declarations.
(declaration keyword: _ @keyword)
(declaration (name) @function)
(declaration (compound functor: (name) @function))
(declaration (operation left: (name) @function operator: "/"))
(declaration (operation left: (name) @type operator: "--->"))
(declaration (operation left: (compound functor: (name) @type) operator: "--->"))
(declaration (operation left: (name) @type operator: "=="))
(declaration (compound arguments: (arguments (prefix_operation operand: (name) @type))))
(declaration (compound arguments: (arguments (prefix_operation operand: (compound functor: (name) @type)))))

; Constraints in heads, and predicates that clauses define.
(heads (name) @function)
(heads (compound functor: (name) @function))
(heads (operation left: (name) @function operator: "#"))
(heads (operation left: (compound functor: (name) @function) operator: "#"))
(heads (operation operator: "#" right: (name) @keyword))
(clause head: (name) @function)
(clause head: (compound functor: (name) @function))
(grammar_rule head: (name) @function)
(grammar_rule head: (compound functor: (name) @function))
(fact head: (name) @function)
(fact head: (compound functor: (name) @function))

; Goals.
(body (name) @function.call)
(body (compound functor: (name) @function.call))
(guard (name) @function.call)
(guard (compound functor: (name) @function.call))
(query goals: (name) @function.call)
(query goals: (compound functor: (name) @function.call))
(directive (name) @function.call)
(directive (compound functor: (name) @function.call))
(pragmas (compound functor: (name) @keyword))
(operation left: (name) @function.call operator: ["," ";" "->" "*->"])
(operation left: (compound functor: (name) @function.call) operator: ["," ";" "->" "*->"])
(operation operator: ["," ";" "->" "*->"] right: (name) @function.call)
(operation operator: ["," ";" "->" "*->"] right: (compound functor: (name) @function.call))
(prefix_operation operator: "\\+" operand: (name) @function.call)
(prefix_operation operator: "\\+" operand: (compound functor: (name) @function.call))

; Terms.
(arguments (name) @constant)
(arguments (symbol) @constant)
(arguments (compound functor: (name) @constructor))
(list (name) @constant)
(list (symbol) @constant)
(list (compound functor: (name) @constructor))
(operation left: (compound functor: (name) @constructor) operator: ["=" "==" "\\=" "\\=="])
(operation operator: ["=" "==" "\\=" "\\=="] right: (compound functor: (name) @constructor))
(operation operator: ["=" "==" "\\=" "\\=="] right: (name) @constant)

(operation operator: _ @operator)
(prefix_operation operator: _ @operator)
(postfix_operation operator: _ @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(arguments "," @punctuation.delimiter)
(list ["," "|"] @punctuation.delimiter)
(heads "," @punctuation.delimiter)
(declaration "," @punctuation.delimiter)
