(comment) @comment

["sort" "struct" "cons" "map" "var" "eqn" "input" "import" "strategy" "innermost" "outermost" "whr" "end" "owise" "assoc" "comm" "id" "lambda"] @keyword

; Sorts.
(sort_declaration name: (name) @type)
(sort_declaration alias: (name) @type)
(sort_application name: (name) @type)
(sort_application argument: (name) @type)
(struct_argument sort: (name) @type)
(symbol_declaration argument: (name) @type)
(symbol_declaration result: (name) @type)
(variable_declaration sort: (name) @type)
(function_sort argument: (name) @type)
(function_sort result: (name) @type)
(lambda_parameters sort: (name) @type)
(parameters (name) @type)

; Symbols where they are declared.
(struct_symbol name: (name) @constructor)
(constructor_section (symbol_declaration name: (name) @constructor))
(map_section (symbol_declaration name: (name) @function))
(struct_symbol recogniser: (name) @function)
(struct_argument projection: (name) @property)

; Symbols where they are used.
(axioms identity: (name) @constructor)
(symbol_strategy symbol: (name) @constructor)
(argument_strategy) @keyword
(application symbol: (name) @function)
(power symbol: (name) @function)

; Variables. The text does not say whether a bare name in a term is a variable or a constant: names of one letter, with digits and
; primes behind it, are taken for variables here. Editors that read locals.scm know better.
(variable_declaration name: (name) @variable)
(lambda_parameters name: (name) @variable.parameter)
(lambda body: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(equation condition: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(equation left: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(binding name: (name) @variable)
(binding value: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(equation right: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(arguments (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(power argument: (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(operation (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(prefix_operation (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(list (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))
(parentheses (name) @variable (#match? @variable "^[A-Za-z_][0-9']*$"))

; Constants.
(equation condition: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(equation left: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(binding value: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(lambda body: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(equation right: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(input_section term: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(arguments (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(power argument: (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(operation (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(prefix_operation (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(list (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))
(parentheses (name) @constant (#not-match? @constant "^[A-Za-z_][0-9']*$"))

(integer) @number
(float) @number
(text) @string
(character) @character

(operation operator: _ @operator)
(prefix_operation operator: _ @operator)
(power "^" @operator)
(equation "=" @keyword.operator)
(binding "=" @keyword.operator)
(equation "->" @keyword.operator)
(sort_declaration ["=" "|"] @operator)
(symbol_declaration ["->" "#"] @operator)
(function_sort ["->" "#"] @operator)
(lambda "." @punctuation.delimiter)
(struct_symbol "?" @operator)

["(" ")" "[" "]"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
