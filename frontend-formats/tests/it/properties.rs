//! No text makes a reader panic, and what is printed is read back as the same.

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::rule::{Start, verify};
use gchr_formats::{Format, InputReader};
use proptest::prelude::*;

use super::load_text;

const FORMATS: [Format; 4] = [Format::Rec, Format::Ari, Format::Tpdb, Format::Xtc];

/// Texts to change: every construct of each format occurs.
const TEXTS: [&str; 15] = [
    "REC-SPEC M SORTS Bool Nat, List CONS true false : -> Bool 0 : -> Nat s : Nat -> Nat nil : -> List\n\
     cons : Nat List -> List % comment\n OPNS if : Bool Nat Nat -> Nat leq : Nat Nat -> Bool f : Nat -> Nat\n\
     VARS X, Y : Nat RULES if(true, X, Y) -> X if(false, X, Y) -> Y f(X) -> X if leq(X, 0) = true\n\
     f(X) -> f(s(X)) if leq(X, 0) <> true and-if X -><- Y f(0) -> 0 if s(0) ->/<- 0\n\
     EVAL f(s(0)), leq(0, s^3(0)) END-SPEC",
    "(format TRS) ; comment\n (fun f 2) (fun 0 0) (rule (f x 0) x) (rule (f x y) (f y x) :cost 0 :index 7)",
    "(meta-info (comment \"text\")) (format MSTRS) (sort A) (sort B) (fun f :sort (A B A)) (fun a A) (fun g (-> A B))\n\
     (rule (f x (g x)) x) (rule (g (f a z)) (g a))",
    "(format CTRS oriented :problem infeasibility) (fun f 1) (fun p 2) (rule (f x) y (= x (p y z)))\n\
     (rule (f (p x x)) x :condition (and (= x x) (= x x))) (infeasible? (= (f x) y))",
    "(VAR x y) (CONDITIONTYPE JOIN) (RULES f(x, y) -> x | x == y, y -> x  +(x, 1) ->= 1 | y -><- x\n c -> f(c(), 'q))\n\
     (STRATEGY INNERMOST) (COMMENT (any) text)",
    "(SIG (app List List -> List) (nil -> List) (cons E List -> List)) (RULES app(nil, x) -> x\n\
     app(cons(y, x), z) -> cons(y, app(x, z)))",
    "(VAR x) (THEORY (AC f) (C g)) (RULES f(x, g(a, x)) -> x f(a, x) -> f(x, x) | g(x, a) == x)",
    "(format TRS) (fun f 2 :theory AC) (fun a 0) (rule (f a x) (f x x) (= (f x x) x))",
    "<?xml version='1.0'?><!-- rules --><problem type=\"termination\"><trs><rules><rule><lhs><funapp><name>f</name><arg>\
     <funapp><name>a</name></funapp></arg><arg><var>x</var></arg></funapp></lhs><rhs><var>x</var></rhs><conditions>\
     <condition><lhs><var>x</var></lhs><rhs><funapp><name>f</name><arg><var>x</var></arg><arg><var>x</var></arg>\
     </funapp></rhs></condition></conditions></rule><relrules><rule><lhs><funapp><name>&lt;</name></funapp></lhs><rhs>\
     <funapp><name>a</name></funapp></rhs></rule></relrules></rules><signature><funcsym><name>f</name>\
     <arity>2</arity><theory>AC</theory></funcsym><funcsym><name>a</name><arity>0</arity></funcsym></signature>\
     <conditiontype>JOIN</conditiontype></trs><strategy>FULL</strategy><metainformation/></problem>",
    "(VAR x y) (RULES f(x, y) -> g(y) | g(x) == y g(a) -> f(a, g(a))) (STRATEGY OUTERMOST)",
    "(VAR x y) (RULES f(x, y) -> g(y) g(a) -> f(a, g(a))) (STRATEGY CONTEXTSENSITIVE (f 1 2) (g) (a))",
    "(format CSTRS) (fun f 2 :replacement-map (2)) (fun a 0 :replacement-map ()) (rule (f a x) (f x x))",
    "<problem><trs><rules><rule><lhs><funapp><name>f</name><arg><var>x</var></arg></funapp></lhs><rhs><var>x</var></rhs>\
     </rule></rules><signature><funcsym><name>f</name><arity>1</arity><replacementmap><entry>1</entry>\
     </replacementmap></funcsym></signature></trs><strategy>OUTERMOST</strategy></problem>",
    "(VAR x) (SIG (f 2) (c 0) (unused 0)) (RULES f(x, c) -> x)",
    "(SIG (f 2) (c 0)) (RULES f(x, c) -> x)",
];

const WORDS: [&str; 51] = [
    "REC-SPEC ",
    "SORTS ",
    "CONS ",
    "OPNS ",
    "VARS ",
    "RULES ",
    "EVAL ",
    "END-SPEC ",
    "M ",
    "A ",
    "f",
    "x ",
    "a ",
    "(",
    ")",
    "(",
    ")",
    ",",
    ":",
    "->",
    " -> ",
    "->=",
    "==",
    " if ",
    " and-if ",
    "<>",
    "=",
    "|",
    "(format TRS)",
    "(format MSTRS)",
    "(fun f 2)",
    "(fun a 0)",
    "(rule (f x y) x)",
    "(sort A)",
    "(VAR x)",
    "(RULES ",
    "(SIG ",
    "%",
    "; ",
    "\n",
    "<problem>",
    "</problem>",
    "<trs><rules>",
    "<rule><lhs>",
    "<funapp><name>f</name>",
    "<var>x</var>",
    "</arg>",
    "&amp;",
    "(STRATEGY OUTERMOST)",
    "(STRATEGY CONTEXTSENSITIVE (f 1))",
    " :replacement-map (1)",
];

/// What holds for every text in every format.
fn check_any(text: &str) {
    for format in FORMATS {
        let (mut sources, loaded) = load_text(text, format);
        assert_eq!(loaded.program.is_none(), has_errors(&loaded.diagnostics));
        for Diagnostic { labels, .. } in &loaded.diagnostics {
            for label in labels {
                assert!(text.get(label.span.range()).is_some(), "{:?} lies in {text:?}", label.span);
            }
        }
        let Some(program) = loaded.program else { continue };
        assert_eq!(verify(&program), []);
        for term in [text, "f(s^3(0), a)", "(f a (f a 0))"] {
            let id = sources.add("--input", term);
            if let Ok(term) = InputReader::new(&program).read(&sources, id) {
                let program = gchr_base::rule::Program { start: Start::Term(Some(term)), ..program.clone() };
                assert_eq!(verify(&program), []);
            }
        }
        let printed = loaded.ast.to_string();
        let (_, again) = load_text(&printed, format);
        assert!(!has_errors(&again.diagnostics), "{printed}\n{:?}", again.diagnostics);
        assert_eq!(again.ast.to_string(), printed);
        let text = |program: &gchr_base::rule::Program| program.to_string();
        assert_eq!(again.program.as_ref().map(text), Some(text(&program)));
    }
}

#[test]
fn the_texts_are_programs() {
    for (text, format) in TEXTS.iter().zip([0, 1, 1, 1, 2, 2, 2, 1, 3, 2, 2, 1, 3, 2, 2]) {
        let (sources, loaded) = load_text(text, FORMATS[format]);
        let shown = gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false);
        assert!(loaded.program.is_some(), "{shown}");
        check_any(text);
    }
}

#[test]
fn symbols_declared_again_are_printed_once() {
    for text in [
        "(format CSTRS) (fun f 1 :replacement-map (1)) (fun a 0 :replacement-map ()) (fun a 0) (rule (f a) a)",
        "(format TRS) (fun f 2) (fun f 2 :theory AC) (fun a 0) (rule (f a x) x)",
        "(format MSTRS) (sort A) (fun f :sort (A A)) (fun f (-> A A)) (fun a A) (fun a A) (rule (f a) a)",
        "(SIG (f A -> A) (a -> A) (f A -> A)) (THEORY (AC f)) (RULES f(a) -> a)",
    ] {
        check_any(text);
    }
    let (_, loaded) = load_text("(format TRS) (fun a 0) (fun a 0) (fun b 0) (rule a b)", Format::Ari);
    assert_eq!(loaded.ast.to_string(), "(format TRS)\n(fun a 0)\n(fun b 0)\n(rule a b)\n");
}

#[test]
fn terms_of_any_depth_are_read_and_printed() {
    let deep = format!("{}0{}", "s(".repeat(300_000), ")".repeat(300_000));
    let text = format!("REC-SPEC M SORTS N CONS 0 : -> N s : N -> N EVAL {deep} END-SPEC");
    let (_, loaded) = super::load_clean(&text, Format::Rec);
    assert!(loaded.ast.to_string().contains(&deep));
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        check_any(&text);
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60)) {
        check_any(&words.concat());
    }

    #[test]
    fn a_program_with_a_part_replaced(
        text in prop::sample::select(&TEXTS[..]),
        from in any::<prop::sample::Index>(),
        length in 0..12_usize,
        word in prop::sample::select(&WORDS[..]),
    ) {
        let from = from.index(text.len());
        let to = (from + length).min(text.len());
        check_any(&format!("{}{word}{}", &text[..from], &text[to..]));
    }
}
