(sort_declaration name: (name) @name) @definition.type
(struct_symbol name: (name) @name) @definition.function
(symbol_declaration name: (name) @name) @definition.function
(application symbol: (name) @name) @reference.call
(power symbol: (name) @name) @reference.call
