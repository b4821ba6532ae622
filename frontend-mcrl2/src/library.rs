//! What every specification has without declaring it: operations on truth values, numbers, lists, sets, bags and
//! functions. Most of it is a specification itself, with `S` and `T` for any sort: the equations that a program needs
//! are taken from it, for the sorts that it needs them for.
//!
//! Names that begin with `@` cannot be written in programs.

use gchr_base::op::Op;
use gchr_base::signature::{Brackets, Notation};

/// What a symbol does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Builds values.
    Constructor,
    /// Has equations, or none.
    Equations,
    /// An operation of the rule IR on whole numbers.
    Number(Op),
    /// Gives its argument.
    Identity,
    /// Something that is decided when rules are made.
    Special(Special),
}

/// What no equation can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    True,
    False,
    Not,
    And,
    Or,
    Implies,
    If,
    Equal,
    Differ,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// The order of representations, which is total.
    Before,
    /// Whether representations are the same, which any two values are or are not.
    Same,
    /// Whether the sort of the elements has finitely many, by their constructors.
    Finite,
    /// A list of all of them.
    Elements,
}

/// A part of the library: what its mappings do, and its text.
pub(crate) struct Part {
    pub meaning: Meaning,
    pub text: &'static str,
}

const fn part(meaning: Meaning, text: &'static str) -> Part {
    Part { meaning, text }
}

const fn special(special: Special, text: &'static str) -> Part {
    part(Meaning::Special(special), text)
}

/// The library.
pub(crate) const LIBRARY: &[Part] = &[
    special(Special::True, "map true: Bool;"),
    special(Special::False, "map false: Bool;"),
    special(Special::Not, "map !: Bool -> Bool;"),
    special(Special::And, "map &&: Bool # Bool -> Bool;"),
    special(Special::Or, "map ||: Bool # Bool -> Bool;"),
    special(Special::Implies, "map =>: Bool # Bool -> Bool;"),
    special(Special::If, "map if: Bool # S # S -> S;"),
    special(Special::Equal, "map ==: S # S -> Bool;"),
    special(Special::Differ, "map !=: S # S -> Bool;"),
    special(Special::Less, "map <: S # S -> Bool;"),
    special(Special::LessEqual, "map <=: S # S -> Bool;"),
    special(Special::Greater, "map >: S # S -> Bool;"),
    special(Special::GreaterEqual, "map >=: S # S -> Bool;"),
    special(Special::Before, "map @before: S # S -> Bool;"),
    special(Special::Same, "map @same: S # S -> Bool;"),
    special(Special::Finite, "map @finite: FSet(S) -> Bool; @finite: (S -> T) -> Bool;"),
    special(Special::Elements, "map @elements: FSet(S) -> List(S); @elements: (S -> T) -> List(S);"),
    part(
        Meaning::Identity,
        "map Pos2Nat: Pos -> Nat; Pos2Int: Pos -> Int; Nat2Int: Nat -> Int; abs: Pos -> Pos; abs: Nat -> Nat;
         @nat: Int -> Nat; @pos: Int -> Pos;",
    ),
    part(
        Meaning::Number(Op::Add),
        "map +: Pos # Pos -> Pos; +: Pos # Nat -> Pos; +: Nat # Pos -> Pos; +: Nat # Nat -> Nat; +: Int # Int -> Int;",
    ),
    part(Meaning::Number(Op::Sub), "map -: Int # Int -> Int;"),
    part(Meaning::Number(Op::Neg), "map -: Int -> Int;"),
    part(Meaning::Number(Op::Mul), "map *: Pos # Pos -> Pos; *: Nat # Nat -> Nat; *: Int # Int -> Int;"),
    part(
        Meaning::Number(Op::FloorDiv),
        "map div: Nat # Pos -> Nat; div: Int # Pos -> Int; @div: Int # Int -> Int;",
    ),
    part(Meaning::Number(Op::Mod), "map mod: Int # Pos -> Nat;"),
    part(
        Meaning::Number(Op::Max),
        "map max: Pos # Pos -> Pos; max: Pos # Nat -> Pos; max: Nat # Pos -> Pos; max: Nat # Nat -> Nat;
         max: Pos # Int -> Pos; max: Int # Pos -> Pos; max: Nat # Int -> Nat; max: Int # Nat -> Nat;
         max: Int # Int -> Int;",
    ),
    part(
        Meaning::Number(Op::Min),
        "map min: Pos # Pos -> Pos; min: Nat # Nat -> Nat; min: Int # Int -> Int;",
    ),
    part(Meaning::Number(Op::Abs), "map abs: Int -> Nat;"),
    part(Meaning::Number(Op::Gcd), "map @gcd: Int # Int -> Int;"),
    part(Meaning::Equations, NUMBERS),
    part(Meaning::Equations, REALS),
    part(Meaning::Equations, LISTS),
    part(Meaning::Equations, FINITE_SETS),
    part(Meaning::Equations, FINITE_SET_OPERATORS),
    part(Meaning::Equations, SETS),
    part(Meaning::Equations, SET_OPERATORS),
    part(Meaning::Equations, FINITE_BAGS),
    part(Meaning::Equations, FINITE_BAG_OPERATORS),
    part(Meaning::Equations, BAGS),
    part(Meaning::Equations, BAG_OPERATORS),
    part(Meaning::Equations, UPDATES),
    part(
        Meaning::Equations,
        "map exp: Pos # Nat -> Pos; var p: Pos; n: Nat; eqn exp(p, n) = @pos(@power(p, n, 1));",
    ),
    part(
        Meaning::Equations,
        "map exp: Nat # Nat -> Nat; var m, n: Nat; eqn exp(m, n) = @nat(@power(m, n, 1));",
    ),
    part(
        Meaning::Equations,
        "map exp: Int # Nat -> Int; var i: Int; n: Nat; eqn exp(i, n) = @power(i, n, 1);",
    ),
    part(Meaning::Equations, "map succ: Int -> Int; var i: Int; eqn succ(i) = i + 1;"),
    part(Meaning::Equations, "map pred: Nat -> Int; var n: Nat; eqn pred(n) = n - 1;"),
    part(Meaning::Equations, "map pred: Int -> Int; var i: Int; eqn pred(i) = i - 1;"),
];

const NUMBERS: &str = "
map Nat2Pos: Nat -> Pos; Int2Nat: Int -> Nat; Int2Pos: Int -> Pos; succ: Nat -> Pos; pred: Pos -> Nat;
    sqrt: Nat -> Nat; @root: Int # Int # Int -> Nat;
    @power: Int # Int # Int -> Int; @range: Int # Int -> List(Int);
var n: Nat; p: Pos; i, j, x, y: Int;
eqn n > 0 -> Nat2Pos(n) = @pos(n);
    i >= 0 -> Int2Nat(i) = @nat(i);
    i > 0 -> Int2Pos(i) = @pos(i);
    succ(n) = n + 1;
    pred(p) = @nat(p - 1);
    @power(i, 0, j) = j;
    @power(i, 1, j) = i * j;
    n mod 2 == 0 -> @power(i, n, j) = @power(i * i, n div 2, j);
    @power(i, n, j) = @power(i * i, n div 2, i * j);
    i > j -> @range(i, j) = [];
    @range(i, j) = i |> @range(i + 1, j);
    sqrt(0) = 0;
    sqrt(n) = @root(n, n, n div 2 + n mod 2);
    y >= x -> @root(i, x, y) = @nat(x);
    @root(i, x, y) = @root(i, y, @div(y + @div(i, y), 2));
";

const REALS: &str = "
cons @ratio: Int # Int -> Real;
map @real: Int # Int -> Real; @int2real: Int -> Real; Int2Real: Int -> Real; Nat2Real: Nat -> Real;
    Pos2Real: Pos -> Real; Real2Int: Real -> Int; Real2Nat: Real -> Nat; Real2Pos: Real -> Pos;
    +: Real # Real -> Real; *: Real # Real -> Real; /: Real # Real -> Real; -: Real # Real -> Real;
    -: Real -> Real; abs: Real -> Real; min: Real # Real -> Real; max: Real # Real -> Real;
    succ: Real -> Real; pred: Real -> Real; exp: Real # Int -> Real;
    floor: Real -> Int; ceil: Real -> Int; round: Real -> Int; @real_less: Real # Real -> Bool;
var a, b, c, d, e: Int; x, y: Real; p: Pos; n: Nat;
eqn b < 0 -> @real(a, b) = @real(-a, -b);
    b > 0 -> @real(a, b) = @ratio(@div(a, @gcd(a, b)), @div(b, @gcd(a, b)));
    @int2real(a) = @ratio(a, 1);
    Int2Real(a) = @ratio(a, 1);
    Nat2Real(n) = @ratio(n, 1);
    Pos2Real(p) = @ratio(p, 1);
    Real2Int(@ratio(a, 1)) = a;
    a >= 0 -> Real2Nat(@ratio(a, 1)) = abs(a);
    a > 0 -> Real2Pos(@ratio(a, 1)) = Int2Pos(a);
    @ratio(a, b) + @ratio(c, d) = @real(a * d + c * b, b * d);
    @ratio(a, b) - @ratio(c, d) = @real(a * d - c * b, b * d);
    @ratio(a, b) * @ratio(c, d) = @real(a * c, b * d);
    c != 0 -> @ratio(a, b) / @ratio(c, d) = @real(a * d, b * c);
    -@ratio(a, b) = @ratio(-a, b);
    abs(@ratio(a, b)) = @ratio(abs(a), b);
    min(x, y) = if(x < y, x, y);
    max(x, y) = if(x < y, y, x);
    succ(@ratio(a, b)) = @ratio(a + b, b);
    pred(@ratio(a, b)) = @ratio(a - b, b);
    e >= 0 -> exp(@ratio(a, b), e) = @real(exp(a, Int2Nat(e)), exp(b, Int2Nat(e)));
    a != 0 -> exp(@ratio(a, b), e) = @real(exp(b, Int2Nat(-e)), exp(a, Int2Nat(-e)));
    floor(@ratio(a, b)) = @div(a, b);
    ceil(@ratio(a, b)) = -@div(-a, b);
    round(@ratio(a, b)) = @div(2 * a + b, 2 * b);
    @real_less(@ratio(a, b), @ratio(c, d)) = a * d < c * b;
";

const LISTS: &str = "
cons @nil: List(S); |>: S # List(S) -> List(S);
map <|: List(S) # S -> List(S); ++: List(S) # List(S) -> List(S); #: List(S) -> Nat; @length: List(S) # Nat -> Nat;
    .: List(S) # Nat -> S; in: S # List(S) -> Bool; head: List(S) -> S; tail: List(S) -> List(S);
    rhead: List(S) -> S; rtail: List(S) -> List(S);
var d, e: S; s, t: List(S); n: Nat;
eqn [] <| d = [d];
    (e |> s) <| d = e |> (s <| d);
    [] ++ t = t;
    (d |> s) ++ t = d |> (s ++ t);
    #s = @length(s, 0);
    @length([], n) = n;
    @length(d |> s, n) = @length(s, n + 1);
    (d |> s) . 0 = d;
    n > 0 -> (d |> s) . n = s . abs(n - 1);
    d in [] = false;
    d in (e |> s) = d == e || d in s;
    head(d |> s) = d;
    tail(d |> s) = s;
    rhead([d]) = d;
    rhead(d |> s) = rhead(s);
    rtail([d]) = [];
    rtail(d |> (e |> s)) = d |> rtail(e |> s);
";

/// Finite sets are lists in ascending order.
const FINITE_SETS: &str = "
cons @empty: FSet(S); @insert: S # FSet(S) -> FSet(S);
map @add: S # FSet(S) -> FSet(S); @of_list: List(S) -> FSet(S); @subset: FSet(S) # FSet(S) -> Bool;
    @filter: List(S) # (S -> Bool) -> FSet(S); @all: FSet(S) # (S -> Bool) -> Bool;
    @subsets: List(S) -> List(FSet(S)); @with: S # List(FSet(S)) # List(FSet(S)) -> List(FSet(S));
var d, e: S; s, t: FSet(S); l: List(S); f: S -> Bool; m, n: List(FSet(S));
eqn @subsets([]) = [@empty];
    @subsets(d |> l) = @with(d, @subsets(l), []);
    @with(d, [], n) = n;
    @with(d, s |> m, n) = s |> (@add(d, s) |> @with(d, m, n));
    @add(d, @empty) = @insert(d, @empty);
    @before(d, e) -> @add(d, @insert(e, s)) = @insert(d, @insert(e, s));
    d == e -> @add(d, @insert(e, s)) = @insert(e, s);
    @add(d, @insert(e, s)) = @insert(e, @add(d, s));
    @of_list([]) = @empty;
    @of_list(d |> l) = @add(d, @of_list(l));
    @subset(@empty, t) = true;
    @subset(s, @empty) = false;
    d == e -> @subset(@insert(d, s), @insert(e, t)) = @subset(s, t);
    @before(e, d) -> @subset(@insert(d, s), @insert(e, t)) = @subset(@insert(d, s), t);
    @subset(@insert(d, s), @insert(e, t)) = false;
    @filter([], f) = @empty;
    f(d) -> @filter(d |> l, f) = @add(d, @filter(l, f));
    @filter(d |> l, f) = @filter(l, f);
    @all(@empty, f) = true;
    @all(@insert(d, s), f) = f(d) && @all(s, f);
";

const FINITE_SET_OPERATORS: &str = "
map in: S # FSet(S) -> Bool; +: FSet(S) # FSet(S) -> FSet(S); *: FSet(S) # FSet(S) -> FSet(S);
    -: FSet(S) # FSet(S) -> FSet(S); #: FSet(S) -> Nat; pick: FSet(S) -> S;
var d, e: S; s, t: FSet(S);
eqn d in @empty = false;
    d in @insert(e, s) = d == e || !@before(d, e) && d in s;
    @empty + t = t;
    s + @empty = s;
    @before(d, e) -> @insert(d, s) + @insert(e, t) = @insert(d, s + @insert(e, t));
    d == e -> @insert(d, s) + @insert(e, t) = @insert(d, s + t);
    @insert(d, s) + @insert(e, t) = @insert(e, @insert(d, s) + t);
    @empty * t = @empty;
    s * @empty = @empty;
    @before(d, e) -> @insert(d, s) * @insert(e, t) = s * @insert(e, t);
    d == e -> @insert(d, s) * @insert(e, t) = @insert(d, s * t);
    @insert(d, s) * @insert(e, t) = @insert(d, s) * t;
    @empty - t = @empty;
    s - @empty = s;
    @before(d, e) -> @insert(d, s) - @insert(e, t) = @insert(d, s - @insert(e, t));
    d == e -> @insert(d, s) - @insert(e, t) = s - t;
    @insert(d, s) - @insert(e, t) = @insert(d, s) - t;
    #@empty = 0;
    #@insert(d, s) = 1 + #s;
    pick(@insert(d, s)) = d;
";

/// A set is finite, or what a finite one leaves, or given by a test. Over a sort with finitely many elements it is
/// always finite.
const SETS: &str = "
cons @fin: FSet(S) -> Set(S); @cofin: FSet(S) -> Set(S); @where: (S -> Bool) -> Set(S);
map @sets: List(FSet(S)) -> List(Set(S));
    @set: (S -> Bool) -> Set(S); @without: FSet(S) -> Set(S); @set_subset: Set(S) # Set(S) -> Bool;
    @set_equal: Set(S) # Set(S) -> Bool;
var f, g: S -> Bool; s, t: FSet(S); x, y: Set(S); l: List(FSet(S));
eqn @sets([]) = [];
    @sets(s |> l) = @fin(s) |> @sets(l);
    @finite(f) -> @set(f) = @fin(@filter(@elements(f), f));
    @set(f) = @where(f);
    @finite(s) -> @without(s) = @fin(@of_list(@elements(s)) - s);
    @without(s) = @cofin(s);
    @set_subset(@fin(s), @fin(t)) = @subset(s, t);
    @set_subset(@fin(s), y) = @all(s, lambda d: S. d in y);
    @set_subset(@cofin(s), @cofin(t)) = @subset(t, s);
    @set_subset(@cofin(s), @fin(t)) = false;
    @set_subset(@where(f), @cofin(t)) = @all(t, lambda d: S. !f(d));
    @set_subset(@where(f), @where(g)) = f == g;
    @set_equal(@fin(s), @fin(t)) = s == t;
    @set_equal(@cofin(s), @cofin(t)) = s == t;
    @set_equal(@fin(s), @cofin(t)) = false;
    @set_equal(@cofin(s), @fin(t)) = false;
    @set_equal(@where(f), @where(g)) = f == g;
";

const SET_OPERATORS: &str = "
map in: S # Set(S) -> Bool; +: Set(S) # Set(S) -> Set(S); *: Set(S) # Set(S) -> Set(S);
    -: Set(S) # Set(S) -> Set(S); !: Set(S) -> Set(S);
    @members: Set(S) -> List(S); @within: Set(S) # (S -> Bool) -> Set(S);
var d: S; s, t: FSet(S); f: S -> Bool; x, y: Set(S);
eqn @members(@fin(s)) = @list(s);
    @within(@fin(s), f) = @fin(@filter(@list(s), f));
    @within(x, f) = @where(f);
    d in @fin(s) = d in s;
    d in @cofin(s) = !(d in s);
    d in @where(f) = f(d);
    @fin(s) + @fin(t) = @fin(s + t);
    @fin(s) + @cofin(t) = @cofin(t - s);
    @cofin(s) + @fin(t) = @cofin(s - t);
    @cofin(s) + @cofin(t) = @cofin(s * t);
    @fin(@empty) + y = y;
    x + @fin(@empty) = x;
    x + y = @where(lambda d: S. d in x || d in y);
    @fin(s) * @fin(t) = @fin(s * t);
    @fin(s) * y = @fin(@filter(@list(s), lambda d: S. d in y));
    x * @fin(s) = @fin(@filter(@list(s), lambda d: S. d in x));
    @cofin(s) * @cofin(t) = @cofin(s + t);
    x * y = @where(lambda d: S. d in x && d in y);
    @fin(s) - @fin(t) = @fin(s - t);
    @fin(s) - y = @fin(@filter(@list(s), lambda d: S. !(d in y)));
    @cofin(s) - @fin(t) = @cofin(s + t);
    @cofin(s) - @cofin(t) = @fin(t - s);
    x - @fin(@empty) = x;
    x - y = @where(lambda d: S. d in x && !(d in y));
    !@fin(s) = @without(s);
    !@cofin(s) = @fin(s);
    !x = @where(lambda d: S. !(d in x));
";

/// Finite bags are lists of elements with positive counts, in ascending order.
const FINITE_BAGS: &str = "
cons @none: FBag(S); @put: S # Int # FBag(S) -> FBag(S);
map @add_count: S # Int # FBag(S) -> FBag(S); @subbag: FBag(S) # FBag(S) -> Bool; @list: FSet(S) -> List(S);
    @bag_of: List(S) # (S -> Nat) -> FBag(S);
var d, e: S; m, n: Int; b, c: FBag(S); s: FSet(S); l: List(S); f: S -> Nat;
eqn n <= 0 -> @add_count(d, n, b) = b;
    @add_count(d, n, @none) = @put(d, n, @none);
    @before(d, e) -> @add_count(d, n, @put(e, m, b)) = @put(d, n, @put(e, m, b));
    d == e -> @add_count(d, n, @put(e, m, b)) = @put(e, m + n, b);
    @add_count(d, n, @put(e, m, b)) = @put(e, m, @add_count(d, n, b));
    @subbag(@none, c) = true;
    @subbag(b, @none) = false;
    d == e -> @subbag(@put(d, m, b), @put(e, n, c)) = m <= n && @subbag(b, c);
    @before(e, d) -> @subbag(@put(d, m, b), @put(e, n, c)) = @subbag(@put(d, m, b), c);
    @subbag(@put(d, m, b), @put(e, n, c)) = false;
    @list(@empty) = [];
    @list(@insert(d, s)) = d |> @list(s);
    @bag_of([], f) = @none;
    @bag_of(d |> l, f) = @add_count(d, f(d), @bag_of(l, f));
";

const FINITE_BAG_OPERATORS: &str = "
map count: S # FBag(S) -> Nat; in: S # FBag(S) -> Bool; +: FBag(S) # FBag(S) -> FBag(S);
    *: FBag(S) # FBag(S) -> FBag(S); -: FBag(S) # FBag(S) -> FBag(S); #: FBag(S) -> Nat;
    Bag2Set: FBag(S) -> FSet(S); Set2Bag: FSet(S) -> FBag(S); pick: FBag(S) -> S;
var d, e: S; m, n: Int; b, c: FBag(S); s: FSet(S);
eqn count(d, @none) = 0;
    d == e -> count(d, @put(e, n, b)) = abs(n);
    count(d, @put(e, n, b)) = count(d, b);
    d in b = count(d, b) > 0;
    @none + c = c;
    @put(d, n, b) + c = b + @add_count(d, n, c);
    @none * c = @none;
    @put(d, n, b) * c = @add_count(d, min(n, count(d, c)), b * c);
    @none - c = @none;
    @put(d, n, b) - c = @add_count(d, n - count(d, c), b - c);
    #@none = 0;
    #@put(d, n, b) = abs(n) + #b;
    Bag2Set(@none) = @empty;
    Bag2Set(@put(d, n, b)) = @insert(d, Bag2Set(b));
    Set2Bag(@empty) = @none;
    Set2Bag(@insert(d, s)) = @put(d, 1, Set2Bag(s));
    pick(@put(d, n, b)) = d;
";

const BAGS: &str = "
cons @finbag: FBag(S) -> Bag(S); @counted: (S -> Nat) -> Bag(S);
map @bag: (S -> Nat) -> Bag(S); @bag_subset: Bag(S) # Bag(S) -> Bool; @bag_equal: Bag(S) # Bag(S) -> Bool;
var f, g: S -> Nat; b, c: FBag(S);
eqn @finite(f) -> @bag(f) = @finbag(@bag_of(@elements(f), f));
    @bag(f) = @counted(f);
    @bag_subset(@finbag(b), @finbag(c)) = @subbag(b, c);
    @bag_equal(@finbag(b), @finbag(c)) = b == c;
    @bag_equal(@counted(f), @counted(g)) = f == g;
";

const BAG_OPERATORS: &str = "
map count: S # Bag(S) -> Nat; in: S # Bag(S) -> Bool; +: Bag(S) # Bag(S) -> Bag(S);
    *: Bag(S) # Bag(S) -> Bag(S); -: Bag(S) # Bag(S) -> Bag(S); Bag2Set: Bag(S) -> Set(S);
    Set2Bag: Set(S) -> Bag(S);
var d: S; f: S -> Nat; b, c: FBag(S); x, y: Bag(S); s: FSet(S); t: Set(S);
eqn count(d, @finbag(b)) = count(d, b);
    count(d, @counted(f)) = f(d);
    d in x = count(d, x) > 0;
    @finbag(b) + @finbag(c) = @finbag(b + c);
    x + y = @counted(lambda d: S. count(d, x) + count(d, y));
    @finbag(b) * @finbag(c) = @finbag(b * c);
    x * y = @counted(lambda d: S. min(count(d, x), count(d, y)));
    @finbag(b) - @finbag(c) = @finbag(b - c);
    x - y = @counted(lambda d: S. Int2Nat(max(0, count(d, x) - count(d, y))));
    Bag2Set(@finbag(b)) = @fin(Bag2Set(b));
    Bag2Set(x) = @where(lambda d: S. d in x);
    Set2Bag(@fin(s)) = @finbag(Set2Bag(s));
    Set2Bag(t) = @counted(lambda d: S. if(d in t, 1, 0));
";

/// Functions with other values at some places, the greatest place outermost. A place whose value is the same again is
/// none: functions that have the same values there are the same.
const UPDATES: &str = "
cons @updated: (S -> T) # S # T -> (S -> T);
map @update: (S -> T) # S # T -> (S -> T); @functions: List(S) # List(T) -> List(S -> T);
    @over: List(S) # List(T) # List(S -> T) -> List(S -> T); @at: S # List(T) # List(S -> T) -> List(S -> T);
    @to: (S -> T) # S # List(T) # List(S -> T) -> List(S -> T);
var f: S -> T; a, c: S; b, d: T; l: List(S); m: List(T); n: List(S -> T);
eqn @functions(l, b |> m) = @over(l, b |> m, [lambda e: S. b]);
    @over([], m, n) = n;
    @over(a |> l, m, n) = @over(l, m, @at(a, m, n));
    @at(a, m, []) = [];
    @at(a, m, f |> n) = @to(f, a, m, @at(a, m, n));
    @to(f, a, [], n) = n;
    @to(f, a, b |> m, n) = @update(f, a, b) |> @to(f, a, m, n);
    a == c -> @update(@updated(f, a, b), c, d) = if(@same(f(c), d), f, @updated(f, a, d));
    @before(c, a) -> @update(@updated(f, a, b), c, d) = @updated(@update(f, c, d), a, b);
    @update(f, c, d) = if(@same(f(c), d), f, @updated(f, c, d));
";

/// How a symbol that programs cannot write is shown in results.
pub(crate) fn shown_name(name: &str) -> &str {
    match name {
        "@nil" => "[]",
        "@empty" => "{}",
        "@none" => "{:}",
        "@ratio" => "/",
        "@cofin" => "!",
        "@updated" => "update",
        other => other.strip_prefix('@').unwrap_or(other),
    }
}

/// How values that a symbol of the library builds are written.
pub(crate) fn notation(name: &str) -> Option<Notation> {
    let list = Brackets { open: "[", close: "]" };
    let set = Brackets { open: "{", close: "}" };
    Some(match name {
        "@nil" => Notation::Empty(list),
        "|>" => Notation::Element(list),
        "@empty" => Notation::Empty(set),
        "@insert" | "@put" => Notation::Element(set),
        "@none" => Notation::Empty(Brackets { open: "{:", close: "}" }),
        "@fin" | "@finbag" => Notation::Argument,
        "@ratio" => Notation::Fraction,
        "@updated" => Notation::Updated,
        // Without a value.
        "." | "/" | "-" | "*" | "+" => Notation::Infix,
        _ => return None,
    })
}
