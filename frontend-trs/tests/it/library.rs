//! The texts that are part of the language: sets, bags and maps, compared with those of Rust.

use std::collections::{BTreeMap, BTreeSet};

use gchr_base::diagnostic::render_all;
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_testkit::findings;
use gchr_trs::Loaded;
use proptest::prelude::*;

fn load(text: &str) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", text);
    let loaded = gchr_trs::load_files(&mut sources, id, None, &Account::new(None));
    findings::are_complete(&loaded.diagnostics);
    (sources, loaded)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (sources, loaded) = load(text);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    assert_eq!(loaded.diagnostics, [], "{shown}\n{text}");
    assert_eq!(gchr_terms::testing::normal_form(&loaded.program.expect("a program")), expected, "{text}");
}

const ALL: &str = "import \"library:sets\"; import \"library:bags\"; import \"library:maps\";\n";

#[test]
fn texts_are_imported_by_name_and_once() {
    check(&format!("{ALL}{ALL} input SetElements(SetOf([[2], [1], [2]]));"), "[[1], [2]]");
    check(
        &format!("{ALL} input Put(Put(EmptyMap, SetOf([2, 1]), true), SetOf([1, 2, 2]), false);"),
        "At(Union(Single(1), Single(2)), false)",
    );
    check(
        &format!("{ALL} map F: Integer; eqn F = 1 << 70; input BagSize(BagOf([F, F])) * F;"),
        "2361183241434822606848",
    );
    check("import \"library:rationals\"; input Divide(Rat(1, -2), Whole(0));", "Rat(-1, 0)");
    check(STRINGS, "[true, true, true, true, true, true, true, true, true]");
    let (sources, loaded) = load("import \"library:trees\"; input true;");
    findings::check(&sources, &loaded.diagnostics, &[("T0110", "\"library:trees\"")]);
    let (sources, loaded) = load(&format!("{ALL} sort Set; map Contains: Int;"));
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(&codes[..2], ["T0104", "T0105"], "{}", render_all(&loaded.diagnostics, &sources, false));
}

/// What texts have at their ends.
const STRINGS: &str = "import \"library:strings\"; input [
    Words(\" a  bc\\n\") == [\"a\", \"bc\"], Split(\"\", ',') == [\"\"], Split(\"a,,b\", ',') == [\"a\", \"\", \"b\"],
    Join([\"a\", \"b\", \"\"], \", \") == \"a, b, \", Trim(\" \\t a b \") == \"a b\", Upper(\"aZ[ä\") == \"AZ[ä\",
    IntOf(\"-\", 7) == 7, IntOf(\"-9223372036854775808\", 7) == -9223372036854775808, TextOf(0) == \"0\"];";

/// Says of which sort elements are, where there are none.
const OWN: &str = "map Own: List(Int) -> List(Int); var l: List(Int); eqn Own(l) = l;";

fn list<T: ToString>(elements: impl IntoIterator<Item = T>) -> String {
    let shown: Vec<String> = elements.into_iter().map(|element| element.to_string()).collect();
    format!("[{}]", shown.join(", "))
}

fn numbers() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(-4..4i64, 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn sets_are_those_of_rust(a in numbers(), b in numbers(), x in -4..4i64) {
        let [s, t] = [&a, &b].map(|numbers| numbers.iter().copied().collect::<BTreeSet<i64>>());
        let [p, q] = [&a, &b].map(|numbers| format!("SetOf(Own({}))", list(numbers)));
        let of = |set: String| format!("SetElements({set})");
        let text = format!(
            "{ALL} map Truth: Bool -> List(Int); eqn Truth(true) = [1]; Truth(false) = [0];
{OWN}
             input [{}, {}, {}, {}, {}, [SetSize({p})], Truth(Contains({p}, {x})), Truth(IsSubset({p}, {q})), Truth({p} == {q})];",
            of(format!("Union({p}, {q})")),
            of(format!("Intersection({p}, {q})")),
            of(format!("Difference({p}, {q})")),
            of(format!("SetFilter(lambda i: Int. i > {x}, {p})")),
            of(format!("SetMap(lambda i: Int. i * i, {p})")),
        );
        let truth = |holds: bool| list([i64::from(holds)]);
        let expected = list([
            list(s.union(&t)),
            list(s.intersection(&t)),
            list(s.difference(&t)),
            list(s.iter().filter(|i| **i > x)),
            list(s.iter().map(|i| i * i).collect::<BTreeSet<i64>>()),
            list([s.len()]),
            truth(s.contains(&x)),
            truth(s.is_subset(&t)),
            truth(s == t),
        ]);
        check(&text, &expected);
    }

    #[test]
    fn bags_are_sorted_lists(a in numbers(), b in numbers(), x in -4..4i64) {
        let [mut s, mut t] = [a.clone(), b.clone()];
        let [p, q] = [&a, &b].map(|numbers| format!("BagOf(Own({}))", list(numbers)));
        let text = format!(
            "{ALL} map Truth: Bool -> List(Int); eqn Truth(true) = [1]; Truth(false) = [0];
{OWN}
             input [BagElements(Sum({p}, {q})), BagElements(Remove({p}, {x})), [Count({p}, {x}), BagSize({p})],
               BagElements(BagMap(lambda i: Int. i div 2, {p})), BagElements(BagFilter(lambda i: Int. i < {x}, {q})),
               Truth(IsSubbag({p}, {q})), Truth(IsSubbag({p}, Sum({q}, {p})))];"
        );
        s.sort_unstable();
        t.sort_unstable();
        let mut both = [s.clone(), t.clone()].concat();
        both.sort_unstable();
        let mut without = s.clone();
        if let Some(at) = without.iter().position(|y| *y == x) {
            without.remove(at);
        }
        let mut halves: Vec<i64> = s.iter().map(|i| i.div_euclid(2)).collect();
        halves.sort_unstable();
        let count = |bag: &[i64], x: i64| bag.iter().filter(|y| **y == x).count();
        let expected = list([
            list(&both),
            list(&without),
            list([count(&s, x), s.len()]),
            list(&halves),
            list(t.iter().filter(|i| **i < x)),
            list([i64::from(s.iter().all(|&y| count(&s, y) <= count(&t, y)))]),
            list([1]),
        ]);
        check(&text, &expected);
    }

    #[test]
    fn rationals_are_in_lowest_terms(n in -30..30i64, d in 1..30i64, m in -30..30i64, e in -30..-1i64, power in -3..4i64) {
        prop_assume!(m != 0 && (n != 0 || power >= 0));
        let fraction = |n: i64, d: i64| {
            let gcd = (1..=n.abs().max(d.abs())).rev().find(|g| n % g == 0 && d % g == 0).unwrap_or(1) * d.signum();
            format!("Fraction({}, {})", n / gcd, d / gcd)
        };
        let (r, s) = (format!("Rat({n}, {d})"), format!("Rat({m}, {e})"));
        let text = format!(
            "import \"library:rationals\"; input [Add({r}, {s}), Subtract({r}, {s}), Multiply({r}, {s}), Divide({r}, {s}),
               Least({r}, {s}), Greatest({r}, {s}), Whole(Floor({s})), Whole(Ceiling({s})), ToThe({r}, {power})];"
        );
        // Both over denominators that are positive.
        let (m, e) = (-m, -e);
        let [least, greatest] = if n * e <= m * d { [(n, d), (m, e)] } else { [(m, e), (n, d)] };
        let exponent = power.unsigned_abs() as u32;
        let powers = (n.pow(exponent), d.pow(exponent));
        let quotient = (n * e * m.signum(), d * m.abs());
        let expected = list([
            fraction(n * e + m * d, d * e),
            fraction(n * e - m * d, d * e),
            fraction(n * m, d * e),
            fraction(quotient.0, quotient.1),
            fraction(least.0, least.1),
            fraction(greatest.0, greatest.1),
            fraction(m.div_euclid(e), 1),
            fraction(-(-m).div_euclid(e), 1),
            if power < 0 { fraction(powers.1 * powers.0.signum(), powers.0.abs()) } else { fraction(powers.0, powers.1) },
        ]);
        check(&text, &expected);
    }

    #[test]
    fn maps_are_those_of_rust(puts in prop::collection::vec((-4..4i64, -9..9i64, any::<bool>()), 0..9), x in -4..4i64) {
        let (mut term, mut map) = ("EmptyMap".to_string(), BTreeMap::new());
        for &(key, value, put) in &puts {
            if put {
                term = format!("Put({term}, {key}, {value})");
                map.insert(key, value);
            } else {
                term = format!("Drop({term}, {key})");
                map.remove(&key);
            }
        }
        let text = format!(
            "{ALL} map Start: Map(Int, Int); eqn Start = {term};
             input [Keys(Start), Values(Start), [Get(Start, {x}, 99), MapSize(Start), if(HasKey(Start, {x}), 1, 0)],
               Values(MapValues(lambda i: Int. -i, Start)), Keys(MapOf(lambda i: Int. i, Keys(Start)))];"
        );
        let expected = list([
            list(map.keys()),
            list(map.values()),
            list([map.get(&x).copied().unwrap_or(99), map.len() as i64, i64::from(map.contains_key(&x))]),
            list(map.values().map(|i| -i)),
            list(map.keys()),
        ]);
        check(&text, &expected);
    }
}

/// A text as it is written.
fn quoted(text: &str) -> String {
    let inner: String = text
        .chars()
        .map(|c| gchr_base::escape::in_quotes(c, '"').map_or(c.to_string(), std::borrow::Cow::into_owned))
        .collect();
    format!("\"{inner}\"")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Texts mean what they do in Rust, and results are read back as what they show.
    #[test]
    fn texts_are_those_of_rust(s in "[ab \\t\"'\\\\é\u{1b}\u{202e}]{0,6}", t in "[ab]{0,2}", n in any::<i64>(), k in -1..7i64) {
        let found = s.find(&t).map_or(-1, |at| s[..at].chars().count() as i64);
        let (prefix, suffix): (String, String) = {
            let at = usize::try_from(k).unwrap_or(0);
            (s.chars().take(at).collect(), s.chars().skip(at).collect())
        };
        let reversed: String = s.chars().rev().collect();
        let order = |o: std::cmp::Ordering| o as i64;
        let (qs, qt) = (quoted(&s), quoted(&t));
        check(
            &format!(
                "import \"library:strings\"; sort R = struct Row(List(Int), List(String), List(List(String)));
                 input Row([Find({qs}, {qt}), IntOf(TextOf({n}), 7), Compare({qs}, {qt}), #{qs}],
                     [{qs} ++ {qt}, TextOf({n}), Prefix({qs}, {k}), Suffix({qs}, {k}), Reversed({qs}), Upper({qt})],
                     [Words({qs}), Split({qs}, 'a')]);"
            ),
            &format!(
                "Row({}, {}, {})",
                list([found, n, order(s.chars().cmp(t.chars())), s.chars().count() as i64]),
                list([s.clone() + &t, n.to_string(), prefix, suffix, reversed, t.to_uppercase()].map(|x| quoted(&x))),
                list([list(s.split_whitespace().map(quoted)), list(s.split('a').map(quoted))]),
            ),
        );
    }
}
