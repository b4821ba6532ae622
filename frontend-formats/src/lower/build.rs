//! From the postfix nodes of a rule's term to a tree, bottom-up on an explicit stack.

use gchr_base::diagnostic::Diagnostic;

use super::MAX_DEPTH;
use crate::term::{Node, Term};

/// Builds the tree of a term from its nodes, their positions and their arguments; `None` when a node has none, or when
/// the term is too deep for a rule, which is reported.
pub(super) fn fold<T>(
    term: &Term,
    diagnostics: &mut Vec<Diagnostic>,
    mut build: impl FnMut(&Node, usize, Vec<T>) -> Option<T>,
) -> Option<T> {
    let mut stack: Vec<(T, u32)> = Vec::new();
    for (at, node) in term.nodes.iter().enumerate() {
        let args = stack.split_off(stack.len() - node.arity as usize);
        let depth = 1 + args.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            diagnostics.push(
                Diagnostic::error("T1303", format!("this term is nested more than {MAX_DEPTH} deep"))
                    .label(term.span, "too deep for a rule")
                    .note("terms to evaluate have no such limit")
                    .help("build the term by rules"),
            );
            return None;
        }
        let built = build(node, at, args.into_iter().map(|(arg, _)| arg).collect())?;
        stack.push((built, depth));
    }
    stack.pop().map(|(built, _)| built)
}
