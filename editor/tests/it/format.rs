//! The layout of many programs: it changes no token and no comment, it is its own layout, and it means the same.

use gchr_base::source::SourceMap;
use gchr_editor::{Layout, format};
use gchr_testkit::growth;
use gchr_testkit::random::Random;

use crate::{Path, programs};

/// The layout for a file; none for formats of others that end in `.trs`, too.
fn layout_of(path: &Path, text: &str) -> Option<Layout> {
    match path.extension().is_some_and(|ending| ending == "trs") {
        true => (!text.starts_with('(')).then_some(Layout::Terms),
        false => Some(Layout::Constraints),
    }
}

fn formatted(layout: Layout, text: &str) -> Result<String, Vec<&'static str>> {
    let mut sources = SourceMap::new();
    let id = sources.add("text", text);
    format(layout, &sources, id).map_err(|found| found.iter().map(|found| found.code).collect())
}

/// The syntax tree as text.
fn tree(layout: Layout, text: &str) -> String {
    let mut sources = SourceMap::new();
    let id = sources.add("text", text);
    match layout {
        Layout::Terms => gchr_trs::parse(&sources, id).ast.to_string(),
        Layout::Constraints => gchr_chr::parse(&sources, id).ast.to_string(),
    }
}

/// The same tokens with other white space between them: where there is some, there is some again.
fn blown_about(text: &str, layout: Layout, random: &mut Random) -> String {
    let made = formatted(layout, text).expect("a layout");
    let mut out = String::new();
    let mut quiet = false;
    for line in made.lines() {
        // Lines with comments and quotes stay, and what is inside of those that have several lines.
        quiet ^= line.matches("/*").count() != line.matches("*/").count();
        if quiet || line.contains(['%', '\'', '"', '`', '/']) {
            out.push_str(line);
        } else {
            for word in line.split_inclusive(' ') {
                out.push_str(word.trim_end_matches(' '));
                if word.ends_with(' ') {
                    out.push_str(random.pick(&[" ", " ", "  ", "\t", "     ", "\n", "\r\n   ", "\n\n\n"]));
                }
            }
        }
        out.push_str(random.pick(&["\n", "\n", "\n\n", "\n\n\n\n", " \n"]));
    }
    out
}

#[test]
fn a_layout_is_its_own_and_means_the_same() {
    let mut random = Random::new(7);
    let mut checked = 0;
    for (path, text) in programs() {
        let Some(layout) = layout_of(&path, &text) else { continue };
        let made = formatted(layout, &text).unwrap_or_else(|codes| panic!("{}: {codes:?}", path.display()));
        assert_eq!(formatted(layout, &made).as_ref(), Ok(&made), "{}", path.display());
        assert_eq!(tree(layout, &made), tree(layout, &text), "{}", path.display());
        for _ in 0..5 {
            let other = blown_about(&text, layout, &mut random);
            let again = formatted(layout, &other);
            let again = again.unwrap_or_else(|codes| panic!("{}: {codes:?}\n{other}", path.display()));
            assert_eq!(tree(layout, &again), tree(layout, &text), "{}\n{other}", path.display());
            assert_eq!(formatted(layout, &again).as_ref(), Ok(&again), "{}\n{other}", path.display());
        }
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn constraint_programs_are_laid_out() {
    let text = "
:-use_module( library(chr) ).
:-chr_constraint edge(+int,?int) ,
  path( +int, ?int ).


a    @ path(X,Y)\\path(X,Y)<=>true.
long @ edge(X,Y)  ,path(Y,Z)==>X\\==Z|   path(X,Z). %  the closure
	p(X):- ( X>0->q( X,[1,2 , 3|T ] ),!
	; X =:= -1 , \\+r(- 1) ), Y is X-1
	   + 3*2,
	% behind
	s(\"a,b\" , 'c d',0' ,Y) .
q(X) :-
  (   X = 1
    ->  a
  ;   b(
 c, foo/2
) ).
?-edge(1,2) ,
edge(2,3).";
    let expected = "\
:- use_module(library(chr)).
:- chr_constraint edge(+int, ?int),
   path(+int, ?int).

a    @ path(X, Y) \\ path(X, Y) <=> true.
long @ edge(X, Y), path(Y, Z) ==> X \\== Z | path(X, Z). %  the closure
p(X) :- ( X > 0 -> q(X, [1,2, 3|T]), !
        ; X =:= -1, \\+r(- 1) ), Y is X-1
        + 3*2,
    % behind
    s(\"a,b\", 'c d', 0' , Y).
q(X) :-
    (   X = 1
    ->  a
    ;   b(
            c, foo/2
        ) ).
?- edge(1, 2),
   edge(2, 3).
";
    assert_eq!(formatted(Layout::Constraints, text).as_deref(), Ok(expected));
}

#[test]
fn a_point_between_operands_gets_no_space_behind_it() {
    // It would be the end of a clause.
    for (text, expected) in [
        ("p:-X .y=1.", "p :- X .y = 1.\n"),
        ("p:-X.y.", "p :- X.y.\n"),
        ("p(X\n.y).", "p(X\n      .y).\n"),
        ("p :- .|q.", "p :- .| q.\n"),
    ] {
        assert_eq!(formatted(Layout::Constraints, text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn brackets_have_as_much_space_on_both_sides() {
    // Some tokens have a space before them, or none, whatever the author left.
    for (text, expected) in [
        ("p:-q(a,{|x}).", "p :- q(a, { | x }).\n"),
        ("p:-q(a,{ ,x}).", "p :- q(a, {, x}).\n"),
        ("p:- ( a,b).", "p :- ( a, b ).\n"),
        ("p:- (a,b ).", "p :- (a, b).\n"),
    ] {
        assert_eq!(formatted(Layout::Constraints, text).as_deref(), Ok(expected), "{text}");
        assert_eq!(formatted(Layout::Constraints, expected).as_deref(), Ok(expected));
    }
}

#[test]
fn no_layout_makes_other_tokens() {
    for (layout, text, expected) in [
        (Layout::Terms, "eqn a=- >b;", "eqn a = - > b;\n"),
        (Layout::Terms, "eqn a=! =b;", "eqn a = ! = b;\n"),
        (Layout::Terms, "eqn a=! - b;", "eqn a = !-b;\n"),
        (Layout::Constraints, " #!a.", "\n#!a.\n"),
        (Layout::Constraints, "#!a script\np.", "#!a script\np.\n"),
    ] {
        assert_eq!(formatted(layout, text).as_deref(), Ok(expected), "{text}");
        assert_eq!(formatted(layout, expected).as_deref(), Ok(expected));
    }
}

#[test]
fn only_what_has_a_space_before_it_stands_below_its_equal() {
    let text = "map foo : N -> N;\n    f   : N -> N;\n    f1  : N      -> N;\n    fun : N # N  -> N;\n";
    let expected = "map foo: N -> N;\n    f: N -> N;\n    f1: N      -> N;\n    fun: N # N -> N;\n";
    assert_eq!(formatted(Layout::Terms, text).as_deref(), Ok(expected));
    assert_eq!(formatted(Layout::Terms, expected).as_deref(), Ok(expected));
}

#[test]
fn term_programs_are_laid_out() {
    let text = "sort N=struct Z|S( N );
  L = struct E() | C (N,L) ; % lists
var x ,y :N ;
map f : N#N->N; g:Int -> Int; h:List(N)#Int->Int;
eqn
f( Z,y )=y;
   %  more
f(S(x),y) = S ^ 3( f(x,
y) );
 g( - 1 )= -2 ^ 3; g(x)
 = x^2; h(l)=# l+ #(l ++ [# l])- # %#l and # l
  tail(l);
input f(S^2(Z),Z) ;
% the end
";
    let expected = "\
sort N = struct Z | S(N);
     L = struct E() | C(N, L); % lists
var x, y: N;
map f: N # N -> N; g: Int -> Int; h: List(N) # Int -> Int;
eqn
    f(Z, y) = y;
    %  more
    f(S(x), y) = S^3(f(x,
                       y));
    g(-1) = -2 ^ 3; g(x)
        = x ^ 2; h(l) = #l + #(l ++ [#l]) - # %#l and # l
        tail(l);
input f(S^2(Z), Z);
% the end
";
    assert_eq!(formatted(Layout::Terms, text).as_deref(), Ok(expected));
}

#[test]
fn imports_and_parameters_are_laid_out() {
    let text =
        "import   \"lists.trs\" ;\nvar A :sort;X:Tree ( A );\nsort Tree( A )=struct Leaf|Node(Tree(A),A) ;\n";
    let expected =
        "import \"lists.trs\";\nvar A: sort; X: Tree(A);\nsort Tree(A) = struct Leaf | Node(Tree(A), A);\n";
    assert_eq!(formatted(Layout::Terms, text).as_deref(), Ok(expected));
}

#[test]
fn functions_as_values_are_laid_out() {
    let text =
        "map M :(A->B)#  (A # B->C)->E;\neqn M( f,g )=lambda x ,y:A ,z : A->B .g( x ,z (y)) ( L .3) (z);\n";
    let expected = "map M: (A -> B) # (A # B -> C) -> E;\neqn M(f, g) = lambda x, y: A, z: A -> B. g(x, z(y))(L . 3)(z);\n";
    assert_eq!(formatted(Layout::Terms, text).as_deref(), Ok(expected));
}

#[test]
fn what_cannot_be_read_has_no_layout() {
    for (layout, text, codes) in [
        (Layout::Constraints, "a :- b(.", ["C0101"]),
        (Layout::Constraints, "a :- [b).", ["C0101"]),
        (Layout::Constraints, "a :- 'b.", ["C0103"]),
        (Layout::Constraints, "a. /* b", ["C0104"]),
        (Layout::Terms, "eqn f(x = x;", ["T0002"]),
        (Layout::Terms, "eqn f(x)) = x;", ["T0002"]),
        (Layout::Terms, "eqn f(x) @ x;", ["T0001"]),
    ] {
        assert_eq!(formatted(layout, text), Err(codes.to_vec()), "{text}");
    }
    assert_eq!(formatted(Layout::Terms, " \n"), Ok(String::new()));
    assert_eq!(
        formatted(Layout::Constraints, "\u{feff}\r\n\r\na.\r\n\r\n\r\n% x \r\nb."),
        Ok("a.\r\n\r\n% x\r\nb.\r\n".into())
    );
}

/// Any piece of any program has a layout or a reason for none, and it is its own.
#[test]
fn pieces_of_programs_are_laid_out_or_refused() {
    for (path, text) in programs().into_iter().step_by(5) {
        let Some(layout) = layout_of(&path, &text) else { continue };
        let step = 1 + text.len() / 23;
        for start in (0..text.len()).step_by(step) {
            for end in (start..text.len()).step_by(7 * step) {
                let Some(part) = text.get(start..end) else { continue };
                if let Ok(made) = formatted(layout, part) {
                    assert_eq!(formatted(layout, &made).as_ref(), Ok(&made), "{part}");
                }
            }
        }
    }
}

#[test]
fn time_is_in_proportion_to_the_text() {
    let one_line = |n: usize| format!("p({}).\n", vec!["a-[b]"; n].join(","));
    let many_lines = |n: usize| "r @ a(X) , b(Y)   <=> c( X,Y ). % here\n".repeat(n);
    let comments = |n: usize| "% only this\n".repeat(n);
    let nested = |n: usize| format!("p{}a{}.\n", "(f".repeat(n), ")".repeat(n));
    let texts: [(&str, usize, growth::Text); 4] = [
        ("one line", 10_000, one_line),
        ("many lines", 500, many_lines),
        ("comments", 2_000, comments),
        ("nested", 2_000, nested),
    ];
    for (name, n, text) in texts {
        let work = |text: &String| formatted(Layout::Constraints, text).expect("a layout").len();
        let measure = || growth::ratio([n, 4 * n], text, work);
        let found = measure().min(measure());
        assert!(found <= 9.0, "{name}: {found:.1} times as long");
    }
}
