//! Fixed names of the text form: built-in functions, and the words that nothing else may be named.

use std::sync::LazyLock;

use gchr_base::hash::HashMap;

use crate::ir::{AtomicOp, BinaryOp, Intrinsic, Order, Scope, ShuffleOp, Special, VoteOp};

/// A built-in function that is a statement of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    Atomic(AtomicOp, Order, Scope),
    Vote(VoteOp),
    Shuffle(ShuffleOp),
    ActiveMask,
    Cycles,
    Barrier,
    WarpBarrier,
    Fence(Scope),
    Sleep,
    Tally,
    Assume,
    Uniform(Scope),
    Own,
}

/// Name of an intrinsic.
pub(crate) fn intrinsic_name(intrinsic: Intrinsic) -> &'static str {
    match intrinsic {
        Intrinsic::PopCount => "popcount",
        Intrinsic::FindFirstSet => "find_first_set",
        Intrinsic::LeadingZeros => "leading_zeros",
        Intrinsic::Min => "min",
        Intrinsic::Max => "max",
        Intrinsic::MulHigh => "mul_high",
        Intrinsic::SquareRoot => "square_root",
        Intrinsic::FloatBits => "float_bits",
        Intrinsic::FloatFromBits => "float_from_bits",
    }
}

const INTRINSICS: [Intrinsic; 9] = [
    Intrinsic::PopCount,
    Intrinsic::FindFirstSet,
    Intrinsic::LeadingZeros,
    Intrinsic::Min,
    Intrinsic::Max,
    Intrinsic::MulHigh,
    Intrinsic::SquareRoot,
    Intrinsic::FloatBits,
    Intrinsic::FloatFromBits,
];

/// The intrinsic of that name.
pub(crate) fn intrinsic(name: &str) -> Option<Intrinsic> {
    INTRINSICS.into_iter().find(|&i| intrinsic_name(i) == name)
}

/// Text of a thread's position.
pub(crate) fn special_name(special: Special) -> &'static str {
    match special {
        Special::ThreadInBlock => "threadIdx.x",
        Special::Block => "blockIdx.x",
        Special::BlockSize => "blockDim.x",
        Special::GridSize => "gridDim.x",
        Special::Lane => "lane_id()",
    }
}

/// Name of a vote.
pub(crate) fn vote_name(op: VoteOp) -> &'static str {
    match op {
        VoteOp::Ballot => "ballot",
        VoteOp::Any => "vote_any",
        VoteOp::All => "vote_all",
    }
}

/// Name of a shuffle.
pub(crate) fn shuffle_name(op: ShuffleOp) -> &'static str {
    match op {
        ShuffleOp::Index => "shfl",
        ShuffleOp::Up => "shfl_up",
        ShuffleOp::Down => "shfl_down",
        ShuffleOp::Xor => "shfl_xor",
    }
}

/// Name of an atomic operation: what it does, then the order unless relaxed, then the scope unless the device.
pub(crate) fn atomic_name(op: AtomicOp, order: Order, scope: Scope) -> String {
    let name = match op {
        AtomicOp::Load => "load",
        AtomicOp::Store => "store",
        AtomicOp::Add => "atomic_add",
        AtomicOp::Sub => "atomic_sub",
        AtomicOp::Min => "atomic_min",
        AtomicOp::Max => "atomic_max",
        AtomicOp::And => "atomic_and",
        AtomicOp::Or => "atomic_or",
        AtomicOp::Xor => "atomic_xor",
        AtomicOp::Exchange => "atomic_exchange",
        AtomicOp::CompareExchange => "atomic_compare_exchange",
    };
    let order = match order {
        Order::Relaxed if matches!(op, AtomicOp::Load | AtomicOp::Store) => "_relaxed",
        Order::Relaxed => "",
        Order::Acquire => "_acquire",
        Order::Release => "_release",
        Order::AcquireRelease => "_acq_rel",
    };
    let scope = match scope {
        Scope::Device => "",
        Scope::Block => "_block",
    };
    format!("{name}{order}{scope}")
}

/// Orders that an atomic operation can have.
pub(crate) fn atomic_orders(op: AtomicOp) -> &'static [Order] {
    match op {
        AtomicOp::Load => &[Order::Relaxed, Order::Acquire],
        AtomicOp::Store => &[Order::Relaxed, Order::Release],
        _ => &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease],
    }
}

/// All atomic operations.
pub(crate) const ATOMICS: [AtomicOp; 11] = [
    AtomicOp::Load,
    AtomicOp::Store,
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
    AtomicOp::CompareExchange,
];

/// Name of a fence.
pub(crate) fn fence_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "fence_block",
        Scope::Device => "fence_device",
    }
}

/// Name of an assumption of uniformity.
pub(crate) fn uniform_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "assume_uniform_block",
        Scope::Device => "assume_uniform",
    }
}

static BUILTINS: LazyLock<HashMap<String, Builtin>> = LazyLock::new(|| {
    let mut map = HashMap::default();
    for op in ATOMICS {
        for &order in atomic_orders(op) {
            for scope in [Scope::Block, Scope::Device] {
                map.insert(atomic_name(op, order, scope), Builtin::Atomic(op, order, scope));
            }
        }
    }
    for op in [VoteOp::Ballot, VoteOp::Any, VoteOp::All] {
        map.insert(vote_name(op).into(), Builtin::Vote(op));
    }
    for op in [ShuffleOp::Index, ShuffleOp::Up, ShuffleOp::Down, ShuffleOp::Xor] {
        map.insert(shuffle_name(op).into(), Builtin::Shuffle(op));
    }
    for scope in [Scope::Block, Scope::Device] {
        map.insert(fence_name(scope).into(), Builtin::Fence(scope));
    }
    for (name, builtin) in [
        ("active_mask", Builtin::ActiveMask),
        ("cycles", Builtin::Cycles),
        ("barrier", Builtin::Barrier),
        ("warp_barrier", Builtin::WarpBarrier),
        ("sleep_ns", Builtin::Sleep),
        ("tally", Builtin::Tally),
        ("assume", Builtin::Assume),
        ("assume_uniform", Builtin::Uniform(Scope::Device)),
        ("assume_uniform_block", Builtin::Uniform(Scope::Block)),
        ("own", Builtin::Own),
    ] {
        map.insert(name.into(), builtin);
    }
    map
});

/// Names of all atomic operations in all orders and scopes.
#[cfg(any(test, feature = "testing"))]
pub fn atomics() -> Vec<(String, AtomicOp)> {
    let all = BUILTINS.iter().filter_map(|(name, builtin)| match builtin {
        Builtin::Atomic(op, ..) => Some((name.clone(), *op)),
        _ => None,
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// The built-in function of that name.
pub(crate) fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.get(name).copied()
}

/// Text of a two-operand operation.
pub(crate) fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::AndAlso => "&&",
        BinaryOp::OrElse => "||",
    }
}

/// Operations that have an assignment form `x op= e`.
pub(crate) fn has_assignment_form(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Add | B::Sub | B::Mul | B::Div | B::Rem | B::And | B::Or | B::Xor | B::Shl | B::Shr)
}

/// Words of the text form itself.
pub(crate) const KEYWORDS: [&str; 27] = [
    "bool",
    "u8",
    "i32",
    "u32",
    "i64",
    "u64",
    "f64",
    "void",
    "true",
    "false",
    "struct",
    "using",
    "constexpr",
    "if",
    "else",
    "switch",
    "case",
    "default",
    "while",
    "for",
    "break",
    "continue",
    "goto",
    "return",
    "everywhere",
    "simulated",
    "HOLE",
];

/// Words that are names of the prelude, of CUDA, or keywords of C++, and so cannot name anything.
const RESERVED: &str = "in_shared in_local lane_id threadIdx blockIdx blockDim gridDim warpSize I32_MIN I64_MIN \
    alignas alignof and and_eq asm auto bitand bitor catch char class compl concept const const_cast consteval constinit \
    co_await co_return co_yield decltype delete do double dynamic_cast enum explicit export extern float friend inline int \
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires short signed sizeof static static_assert static_cast template this thread_local throw try \
    typedef typeid typename union unsigned virtual volatile wchar_t xor xor_eq main dim3 uint3 NULL \
    char8_t char16_t char32_t";

static RESERVED_SET: LazyLock<gchr_base::hash::HashSet<&'static str>> =
    LazyLock::new(|| RESERVED.split_whitespace().chain(KEYWORDS).collect());

/// Whether `name` can name something in the text form: an identifier that is not taken by the language.
pub(crate) fn is_free_name(name: &str) -> bool {
    let mut chars = name.chars();
    let head = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    head && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && !name.starts_with("gchr_")
        && !name.starts_with("leave_")
        && !RESERVED_SET.contains(name)
        && builtin(name).is_none()
        && intrinsic(name).is_none()
}
