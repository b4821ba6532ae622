//! Strings and identifiers: values are those of Maude.

use super::{check, value};

#[test]
fn strings_are_computed_with() {
    check(
        r#"fmod M is protecting STRING . protecting CONVERSION . op s : -> String . op n : -> Nat .
             op first : String -> Char . op is-char : Char -> Bool .
             eq first(S:String) = substr(S:String, 0, 1) . eq is-char(C:Char) = true . endfm"#,
        &[
            (r#""a\tb" + "\"\\\n" + s"#, r#""a\tb\"\\\n" + s"#),
            (r#""\001\101" + "\177""#, r#""\001A\177""#),
            (r#"length("") + length("abc")"#, "3"),
            (r#"substr("hello", 1, 3)"#, r#""ell""#),
            (r#"substr("hello", 9, 3)"#, r#""""#),
            (r#"substr("hello", n, 3)"#, r#"substr("hello", n, 3)"#),
            (r#"find("hello", "l", 0)"#, "2"),
            (r#"find("hello", "", 5)"#, "5"),
            (r#"find("hello", "", 6)"#, "notFound"),
            (r#"find("hello", "lo", 4)"#, "notFound"),
            (r#"rfind("hello", "l", 9)"#, "3"),
            (r#"rfind("hello", "l", 2)"#, "2"),
            (r#"rfind("hello", "", 9)"#, "5"),
            (r#"rfind("hello", "lo", 2)"#, "notFound"),
            (r#"ascii("a") + ascii(char(98))"#, "195"),
            ("char(300)", "char(300)"),
            (r#""a" < "ab" and "b" > "abc" and "" <= "" and not ("a" >= "b")"#, "true"),
            (r#""\303" < "z""#, "true"),
            (r#"upperCase("aZ1") + lowerCase("aZ1")"#, r#""AZ1az1""#),
            (r#"first("xyz") :: Char and not ("xy" :: Char)"#, "true"),
            (r#"is-char("x")"#, "true"),
            (r#"string(255, 16) + string(-7/2, 10) + string(0, 2)"#, r#""ff-7/20""#),
            (r#"string(5, 40)"#, "string(5, 40)"),
            (r#"rat("-7/2", 10) + rat("zz", 36) + rat("FF", 16)"#, "3093/2"),
            (r#"rat("007", 10)"#, r#"rat("007", 10)"#),
            (r#"rat("1/0", 10)"#, r#"rat("1/0", 10)"#),
        ],
    );
}

#[test]
fn identifiers_and_their_strings() {
    check(
        "fmod M is protecting QID .  sort A .  subsort Qid < A .  op f : A -> A .  op g : Qid Qid -> Bool .
           vars X Y : Qid .  eq f('x) = 'yz .  eq g(X, Y) = string(X) < string(Y) . endfm",
        &[
            ("f('x)", "'yz"),
            ("string(f('x)) + \"!\"", "\"yz!\""),
            ("qid(\"y\" + string('z)) == f('x)", "true"),
            ("f(qid(\"x\"))", "'yz"),
            ("f(qid(\"w\"))", "f('w)"),
            ("qid(\"a b(c,\")", "'a`b`(c`,"),
            ("string(qid(\"x  y\"))", "\"x`y\""),
            ("qid(\"\")", "'"),
            (r#"qid("a\"b")"#, r#"qid("a\"b")"#),
            ("g('a, 'b) and not g('b, 'a)", "true"),
            ("qid(\"q\") :: Qid", "true"),
        ],
    );
}

/// Strings of the text and those that are computed are the same, however long they are: in patterns, in comparisons, as
/// arguments that are in order, and in other terms.
#[test]
fn strings_of_the_text_are_those_that_are_computed() {
    for text in ["", "seven b", "eight by", &"long ".repeat(400)] {
        for at in [0, 3, 1_500] {
            let (a, b) = text.split_at(at.min(text.len()));
            let program = format!(
                "fmod M is protecting STRING . sort E . ops e f : String -> E . ops yes no : -> E .
                   op s : String String -> E [comm] . var S : String .
                   eq f(\"{text}\") = yes . eq f(S) = no [owise] . endfm"
            );
            let joined = format!("\"{a}\" + \"{b}\"");
            let length = text.len();
            let terms = [
                (format!("f({joined})"), "yes".into()),
                (format!("f({joined} + \"!\")"), "no".into()),
                (format!("f(substr(\"x\" + {joined} + \"y\", 1, {length}))"), "yes".into()),
                (format!("{joined} == \"{text}\""), "true".into()),
                (format!("e({joined})"), format!("e(\"{text}\")")),
                (format!("s({joined}, \"{text}!\") == s(\"{text}!\", \"{text}\")"), "true".into()),
                (format!("length({joined})"), length.to_string()),
                (format!("find(\"{text}!{text}\", \"!\", 0)"), length.to_string()),
            ];
            let reductions: String = terms.iter().map(|(term, _)| format!("red {term} .\n")).collect();
            let values: Vec<String> = terms.into_iter().map(|(_, value)| value).collect();
            let found = value(&format!("{program}\n{reductions}"), None);
            assert_eq!(found, format!("EVAL({})", values.join(", ")));
        }
    }
}

/// Strings and numbers of one kind are told apart.
#[test]
fn strings_and_numbers_of_one_kind() {
    let text = "fmod M is protecting STRING . sort V . subsorts String Nat < V . op size : V -> Nat .
        var S : String . var N : Nat . eq size(S) = length(S) . eq size(N) = N . endfm";
    check(
        text,
        &[
            ("size(\"abc\")", "3"),
            ("size(12)", "12"),
            ("\"b\" < \"a\" or 2 < 1", "false"),
            ("size(substr(\"abcdefghij\", 1, 9))", "9"),
        ],
    );
}

/// What grows by one character takes no time in proportion to what it is.
#[test]
fn strings_grow_in_proportion_to_what_is_added() {
    let text =
        "fmod M is protecting STRING . op back : Nat String -> String . op front : Nat String -> String .
        op cut : Nat String Nat -> Nat . vars N K : Nat . var S : String .
        eq back(0, S) = S . eq back(s N, S) = back(N, S + \"x\") .
        eq front(0, S) = S . eq front(s N, S) = front(N, \"x\" + S) .
        eq cut(0, S, K) = K . eq cut(s N, S, K) = cut(N, S, K + length(substr(S, N, 2))) . endfm";
    check(
        text,
        &[
            ("back(20000, \"\") == front(20000, \"\")", "true"),
            ("cut(20000, back(20000, \"\"), 0)", "39999"),
            ("find(back(20000, \"\") + \"y\", \"xy\", 0)", "19999"),
        ],
    );
}

#[test]
fn a_string_without_end_meets_a_limit() {
    let text =
        "fmod M is protecting STRING . op twice : Nat String -> String . var N : Nat . var S : String .
        eq twice(0, S) = S . eq twice(s N, S) = twice(N, S + S) . endfm";
    check(text, &[("length(twice(25, \"ab\"))", "67108864")]);
    let found = value(text, Some("length(twice(26, \"ab\"))"));
    let is_limit =
        ["TextJoin", "TooLarge", "a text of 67108864 bytes"].iter().all(|what| found.contains(what));
    assert!(is_limit, "{found}");
}
