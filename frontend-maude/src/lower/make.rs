//! Functions that get rules when they are first used.

use super::step::Reach;

/// What gets rules when it is first used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Make {
    /// Arguments of an operator in normal form.
    Normal(usize),
    /// The order of arguments that may have counts.
    Ahead(usize),
    /// An argument without its count.
    Element(usize),
    /// Two equal arguments as one with a count.
    Joined(usize),
    /// One less of so many equal arguments.
    Fewer(usize),
    /// A first argument before others.
    Put(usize),
    /// So many copies of a value before a list.
    Copies(usize),
    /// Whether a value has several arguments of an operator.
    Several(usize),
    /// The least sort of equal arguments as a number.
    CodeOfCopies(usize),
    /// The equations of an operator with axioms, on a normalised application.
    Top(usize),
    /// The order of normal forms.
    Before(usize),
    /// The position of the outermost symbol.
    Rank(usize),
    /// The arguments of an associative operator as a list.
    ToList(usize),
    /// A list as an application of an associative operator.
    Build(usize),
    /// A list reversed before another one.
    Onto(usize),
    /// A list without an element that is equal to a value, if there is one.
    Without(usize),
    /// A list without all elements of another one.
    WithoutAll(usize),
    /// A list behind elements that it begins with.
    Behind(usize),
    /// Whether a value is an argument of an associative and commutative operator in another value.
    Has(usize),
    /// A value without one of its arguments.
    Remove(usize),
    /// Whether such a value has a sort.
    OthersHaveSort(usize, usize),
    /// An operator applied to a value and what an extension has left.
    Extended(usize),
    /// The same with a list before it, which is reversed.
    ExtendedBefore(usize),
    /// An operator applied to a value and what is left of a normal form.
    Beside(usize),
    /// Whether two values share arguments that are pairs by an equation.
    Meet(usize),
    /// The arguments of two values but those.
    Unshared(usize),
    /// An argument in front of those that are left.
    InFront(usize),
    /// An operator whose equations are tried on arguments of two values, on arguments that are no normal form.
    Together(usize),
    /// The least sort as a number.
    Code(usize),
    /// The least sort of an application by those of its arguments.
    Lookup(usize),
    HasSort(usize),
    /// A truth value of conditions as one of the module.
    Truth,
    /// A step by a rule of a system module on a normal form, if there is one.
    Step(usize),
    /// So many steps, or with a negative number all.
    Rewrite(usize),
    /// A step to a term that has not been reached.
    Reach(Reach),
    /// A value with its context around it.
    Within(Reach),
    /// Whether a value is in a set.
    Includes(usize),
    /// A set with one more value.
    Insert(usize),
    /// A set that is balanced again.
    Skew(usize),
    Split(usize),
    /// `if` on values.
    Choice(usize),
    Power,
}
