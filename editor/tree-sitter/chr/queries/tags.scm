(rule name: (name) @name) @definition.function
(declaration (compound functor: (name) @name)) @definition.interface
(declaration (operation left: (name) @name operator: "/")) @definition.interface
(clause head: (name) @name) @definition.function
(clause head: (compound functor: (name) @name)) @definition.function
(grammar_rule head: (name) @name) @definition.function
(grammar_rule head: (compound functor: (name) @name)) @definition.function
(fact head: (name) @name) @definition.function
(fact head: (compound functor: (name) @name)) @definition.function
