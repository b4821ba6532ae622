//! Clauses and constraint rules over logical variables: plans, and the machine that runs them.
