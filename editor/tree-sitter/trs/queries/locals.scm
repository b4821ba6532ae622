(source_file) @local.scope
(lambda) @local.scope

(variable_declaration name: (name) @local.definition)

(binding name: (name) @local.definition)
(lambda_parameters name: (name) @local.definition)

(equation (name) @local.reference)
(binding value: (name) @local.reference)
(arguments (name) @local.reference)
(lambda body: (name) @local.reference)
(power argument: (name) @local.reference)
(operation (name) @local.reference)
(prefix_operation (name) @local.reference)
(list (name) @local.reference)
(parentheses (name) @local.reference)
