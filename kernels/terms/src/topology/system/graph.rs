//! Right-hand sides as graphs: equal subterms are one node, built and evaluated once.

use gchr_base::define_id;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::VarId;
use gchr_base::source::{SourceId, Span};

use super::HeadId;
use gchr_runtime::codegen::Site;

define_id!(
    /// A node of a [`Graph`].
    NodeId, "n"
);

/// A term slot that exists or is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ref {
    /// The slot that a variable is bound to.
    Var(VarId),
    /// Argument slot of the redex.
    Arg(usize),
    /// The slot of a node that builds one.
    Node(NodeId),
}

/// What a node is. `Apply`, `Number` and `Truth` build slots, the others are scalars in registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A slot with this head and these arguments.
    Apply(HeadId, Vec<Ref>),
    /// A slot that holds a scalar number.
    Number {
        /// The scalar.
        value: NodeId,
        /// Whether it is a float.
        float: bool,
    },
    /// A slot that holds a scalar truth value.
    Truth(NodeId),
    /// The number in the slot that a variable is bound to.
    Payload {
        /// The variable.
        var: VarId,
        /// Whether it is a float.
        float: bool,
    },
    /// An integer.
    Int(i64),
    /// The bits of a float.
    Float(u64),
    /// An operator on scalars; the result is a truth value for tests, else of the operands' type.
    Compute {
        /// The operator.
        op: Op,
        /// Whether the operands are floats.
        float: bool,
        /// Operands.
        args: Vec<NodeId>,
        /// Where it is written.
        site: Site,
    },
}

/// Nodes in an order in which each comes behind those it uses.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Graph {
    /// The nodes.
    pub nodes: IdVec<NodeId, Node>,
    known: HashMap<Node, NodeId>,
}

impl Graph {
    /// The node, new or known.
    pub fn add(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.find(&node) {
            return id;
        }
        let key = key(&node);
        let id = self.nodes.push(node);
        self.known.insert(key, id);
        id
    }
    /// A node of its own, whatever is known.
    pub fn fresh(&mut self, node: Node) -> NodeId {
        self.nodes.push(node)
    }
    /// The node, if it is known.
    pub fn find(&self, node: &Node) -> Option<NodeId> {
        self.known.get(&key(node)).copied()
    }
    /// Whether a node is a scalar in a register (else it builds a slot).
    pub fn is_scalar(&self, id: NodeId) -> bool {
        matches!(self.nodes[id], Node::Payload { .. } | Node::Int(_) | Node::Float(_) | Node::Compute { .. })
    }
    /// Variables whose slots are read for their numbers.
    pub fn payloads(&self) -> impl Iterator<Item = VarId> + '_ {
        self.nodes.iter().filter_map(|n| match n {
            Node::Payload { var, .. } => Some(*var),
            _ => None,
        })
    }
}

/// What makes nodes equal: an operation that is written twice is computed once, for the place where it stands first.
fn key(node: &Node) -> Node {
    let mut key = node.clone();
    if let Node::Compute { site, .. } = &mut key {
        *site = Site { rule: None, span: Span::new(SourceId(0), 0, 0) };
    }
    key
}
