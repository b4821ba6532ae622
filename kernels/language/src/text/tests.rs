//! The text form: what prints parses back, and what is wrong is reported at its place.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::parse;
use crate::ir::Module;
use crate::testing::random;
use crate::verify::verify;

fn read(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("test.cu", text);
    parse(&sources, id).map_err(|found| render_all(&found, &sources, false))
}

fn good(text: &str) -> Module {
    match read(text) {
        Ok(module) => module,
        Err(report) => panic!("{report}"),
    }
}

fn bad(text: &str) -> String {
    read(text).expect_err("the text should be refused")
}

/// Every construct once, in the form that the printer gives it.
const EVERYTHING: &str = include_str!("tests/everything.cu");

#[test]
fn every_construct_prints_as_it_was_read() {
    let module = good(EVERYTHING);
    assert_eq!(module.to_string(), EVERYTHING);
}

#[test]
fn comments_that_describe_nothing_are_dropped() {
    let module = good(
        "// header\n\n// of nothing\n\n// doc\n__device__ __forceinline__ void f() { // trailing\n    // first\n    // second\n    barrier(); // tail\n    // last\n}\n",
    );
    assert_snapshot!(module, @r"
    // doc
    __device__ __forceinline__ void f() {
        // first
        // second
        barrier();
    }
    ");
}

#[test]
fn literals_keep_type_and_value() {
    let module = good(
        "__device__ __forceinline__ void f(u32* a, i32* b, i64* c, f64* d, u64* e, u8* g) {\n\
         b[0u] = -5;\nb[1u] = -(5);\nb[2u] = I32_MIN;\nb[3u] = - 7;\nc[0] = I64_MIN;\nc[1] = -9223372036854775807ll;\n\
         d[0] = -0.0;\nd[1] = 1e300;\nd[2] = 0.1;\nd[3] = 5e-324;\ne[0] = 0xffffffffffffffffull;\na[0] = 0x10u;\ng[0] = 255_u8;\n}",
    );
    assert_snapshot!(module, @r"
    __device__ __forceinline__ void f(u32* a, i32* b, i64* c, f64* d, u64* e, u8* g) {
        b[0u] = -5;
        b[1u] = -(5);
        b[2u] = I32_MIN;
        b[3u] = -7;
        c[0] = I64_MIN;
        c[1] = -9223372036854775807ll;
        d[0] = -0.0;
        d[1] = 1e300;
        d[2] = 0.1;
        d[3] = 5e-324;
        e[0] = 0xffffffffffffffffull;
        a[0] = 16u;
        g[0] = 255_u8;
    }
    ");
}

#[test]
fn operators_print_with_the_parentheses_that_readers_need() {
    let module = good(
        "__device__ __forceinline__ bool f(u32 a, u32 b, bool c) {\n\
         u32 x = ((a + b) + a) - (b - a) * (a * b);\n\
         x = a << 1u + b;\nx = a & b | a ^ ~b;\nx = a + b & 3u;\n\
         bool y = a < b == (b < a) && (c || a == b) || !c;\n\
         x = c ? a : y ? b : (c ? x : a);\nx = (c ? a : b) + 1u;\n\
         return a % b / 2u == 0u;\n}",
    );
    assert_snapshot!(module, @r"
    __device__ __forceinline__ bool f(u32 a, u32 b, bool c) {
        u32 x = a + b + a - (b - a) * (a * b);
        x = a << (1u + b);
        x = (a & b) | (a ^ ~b);
        x = (a + b) & 3u;
        bool y = ((a < b) == (b < a) && (c || a == b)) || !c;
        x = c ? a : y ? b : c ? x : a;
        x = (c ? a : b) + 1u;
        return a % b / 2u == 0u;
    }
    ");
}

#[test]
fn a_break_inside_a_switch_leaves_the_loop() {
    let text = "__device__ __forceinline__ u32 f(u32 n) {\n\
        u32 x = 0u;\nwhile (true) {\nswitch (n) {\ncase 1u: {\nif (x > n) {\ngoto leave_1;\n}\nx += 1u;\n} break;\n\
        case 2u:\ncase 3u: {\nreturn n;\n}\ndefault: {\ncontinue;\n}\n}\n} leave_1:;\nreturn x;\n}\n";
    let module = good(text);
    assert_eq!(module, good(&module.to_string()));
    assert_snapshot!(module, @r"
    __device__ __forceinline__ u32 f(u32 n) {
        u32 x = 0u;
        while (true) {
            switch (n) {
                case 1u: {
                    if (x > n) {
                        goto leave_1;
                    }
                    x += 1u;
                } break;
                case 2u:
                case 3u: {
                    return n;
                }
                default: {
                    continue;
                }
            }
        } leave_1:;
        return x;
    }
    ");
}

#[test]
fn wrong_texts_are_refused_with_their_places() {
    let texts = [
        "struct P { u32 a; };\nstruct P { u32 a; };",
        "__device__ __forceinline__ void f(Q p) { }",
        "__device__ __forceinline__ u32 f(u32 a) { return b + a; }",
        "__device__ __forceinline__ u32 f(u32 a) { u32 x = ; a + ; return a; }",
        "__device__ __forceinline__ u32 f(u32 a) { return a $ 1u; }",
        "__device__ __forceinline__ u32 f(u32 a) { return 99999999999u; }",
        "__device__ __forceinline__ u32 f(u32 a) { return a + atomic_add(&a, 1u); }",
        "__device__ __forceinline__ u32 f(u32 a) { return a + 1; }",
        "__device__ __forceinline__ u32 f(u32 a) { if (a == 1u) { return a; } }",
        "__device__ __forceinline__ u32 f(u32 a) { return a; a = 1u; }",
        "__device__ __forceinline__ void f(u32* a) { a[0u] = f(a); }",
        "__device__ __forceinline__ void f(u32* a) { everywhere () { a[0u] = 1u; } }",
        "__device__ __forceinline__ void f(u32* a) { everywhere (u32* b = a) { return; } }",
        "__device__ __forceinline__ void f(u8* a) { u8 x = load_acquire(&a[0u]); }",
        "__device__ __forceinline__ void f(u32 a) { while (true) { switch (a) { case 1u: { break; } } } }",
        "__device__ __forceinline__ void f(u32 a) { for (u32 i = 0u; i < a; i += 1u) { i = 2u; } }",
        "__device__ __forceinline__ void f(u32 a) { if (true) { u32 b = a; } b = 1u; }",
        "__device__ __forceinline__ void while(u32 a) { }",
        "using T = HOLE;",
        "extern \"C\" __global__ void __launch_bounds__(100) k(u32 n) { }",
    ];
    let reports: Vec<_> = texts.iter().map(|t| bad(t)).collect();
    assert_snapshot!(reports.join("\n"));
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    let parens = format!(
        "__device__ __forceinline__ u32 f(u32 a) {{ return {}a{}; }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(bad(&parens).contains("K0003"));
    let blocks = format!(
        "__device__ __forceinline__ void f(bool a) {{ {} {} }}",
        "if (a) {".repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(bad(&blocks).contains("K0003"));
    let chain = format!("__device__ __forceinline__ u32 f(u32 a) {{ return a{}; }}", " + a".repeat(3000));
    assert!(bad(&chain).contains("K0110"));
    let elses = format!(
        "__device__ __forceinline__ void f(bool a, u32* b) {{ if (a) {{ }} {} }}",
        "else if (a) { b[0u] = 1u; }".repeat(3000)
    );
    assert!(bad(&elses).contains("K0110"));
    let deepest = format!(
        "__device__ __forceinline__ void f(bool a) {{ {} bool b = {}a{}; {} }}",
        "while (a) {".repeat(120),
        "(".repeat(120),
        ")".repeat(120),
        "}".repeat(120)
    );
    good(&deepest);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_modules_print_and_parse_back(choices in prop::collection::vec(any::<u16>(), 0..600)) {
        let module = random::module(choices);
        let text = module.to_string();
        prop_assert_eq!(verify(&module), vec![], "{}", text);
        match read(&text) {
            Ok(again) => {
                let second = again.to_string();
                let differs = second.lines().zip(text.lines()).find(|(a, b)| a != b);
                prop_assert_eq!(differs, None, "{}", text);
                prop_assert!(again == module, "{}", text);
            }
            Err(report) => prop_assert!(false, "{text}\n{report}"),
        }
    }
}

/// The example of the language's page is in the language, as the printer writes it.
#[test]
fn the_page_has_a_good_example() {
    let page = include_str!("../../../../docs/kernel-language.md");
    let example = page.split("```\n").nth(1).expect("an example");
    assert_eq!(good(example).to_string(), example);
}
