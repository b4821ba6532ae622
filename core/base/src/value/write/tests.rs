//! The text of terms against SWI-Prolog's: `writeq.tsv` has what `write_canonical` and `writeq` print for the same
//! term.

use crate::signature::{Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use crate::value::{Heap, Terms};

/// Reads the canonical form: no operators, lists in brackets.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    signature: Signature,
    heap: Heap,
    any: SortId,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, c: u8) -> bool {
        let eaten = self.peek() == c;
        self.at += usize::from(eaten);
        eaten
    }

    fn term(&mut self) -> u64 {
        match self.peek() {
            b'"' => {
                let text = self.quoted(b'"');
                Heap::str(self.signature.texts.intern(&text))
            }
            b'[' if self.text.get(self.at + 1) != Some(&b']') => {
                self.at += 1;
                self.list()
            }
            c if c.is_ascii_digit() => self.number(),
            b'-' if self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit) => self.number(),
            _ => {
                let name = self.name();
                if !self.eat(b'(') {
                    return Heap::atom(self.signature.texts.intern(&name));
                }
                let mut args = vec![self.term()];
                while self.eat(b',') {
                    args.push(self.term());
                }
                assert!(self.eat(b')'), "{}", String::from_utf8_lossy(&self.text[self.at..]));
                self.compound(&name, &args)
            }
        }
    }

    fn list(&mut self) -> u64 {
        let mut items = vec![self.term()];
        while self.eat(b',') {
            items.push(self.term());
        }
        let mut tail = match self.eat(b'|') {
            true => self.term(),
            false => Heap::atom(self.signature.texts.intern("[]")),
        };
        assert!(self.eat(b']'));
        for item in items.into_iter().rev() {
            tail = self.compound("[|]", &[item, tail]);
        }
        tail
    }

    fn compound(&mut self, name: &str, args: &[u64]) -> u64 {
        let symbols = &mut self.signature.symbols;
        let known = symbols.iter_enumerated().find(|(_, s)| s.name == name && s.args.len() == args.len());
        let symbol: SymbolId = known.map(|(id, _)| id).unwrap_or_else(|| {
            let args = vec![self.any; args.len()];
            let kind = SymbolKind::Functor;
            symbols.push(Symbol { name: name.into(), args, result: self.any, kind, span: None })
        });
        self.heap.compound(symbol, args).unwrap()
    }

    fn number(&mut self) -> u64 {
        let rest = &self.text[self.at..];
        let part = |i: usize, c: u8| {
            c.is_ascii_digit()
                || c == b'-' && (i == 0 || rest[i - 1] == b'e')
                || c == b'.'
                || c == b'e' && i > 0
                || c == b'+' && rest[i - 1] == b'e'
        };
        let length = rest.iter().enumerate().take_while(|&(i, &c)| part(i, c)).count();
        let text = std::str::from_utf8(&rest[..length]).unwrap();
        self.at += length;
        match text.contains('.') {
            true => self.heap.float(text.parse().unwrap()).unwrap(),
            false => self.heap.int(text.parse().unwrap()).unwrap(),
        }
    }

    fn name(&mut self) -> String {
        if self.peek() == b'\'' {
            return self.quoted(b'\'');
        }
        let start = self.at;
        let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80;
        let same = word(self.peek());
        if matches!(&self.text[start..], [b'[', b']', ..] | [b'{', b'}', ..]) {
            self.at += 2;
        } else {
            while self.peek() != 0 && !b"(),|[]{}'\"".contains(&self.peek()) && word(self.peek()) == same {
                self.at += 1;
            }
        }
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }

    fn quoted(&mut self, quote: u8) -> String {
        self.at += 1;
        let mut bytes = Vec::new();
        while self.peek() != quote {
            let c = self.peek();
            self.at += 1;
            if c != b'\\' {
                bytes.push(c);
                continue;
            }
            let escape = self.peek();
            self.at += 1;
            match escape {
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'x' => {
                    let start = self.at;
                    while self.peek() != b'\\' {
                        self.at += 1;
                    }
                    let digits = std::str::from_utf8(&self.text[start..self.at]).unwrap();
                    let c = char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap();
                    bytes.extend(c.to_string().as_bytes());
                    self.at += 1;
                }
                other => bytes.push(other),
            }
        }
        self.at += 1;
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn terms_are_written_as_by_swi_prolog() {
    let mut wrong = Vec::new();
    for line in include_str!("../writeq.tsv").lines() {
        let (canonical, wanted) = line.split_once('\t').unwrap();
        // The atom `[]` is the empty list here.
        if canonical.contains("'[]'") {
            continue;
        }
        let mut signature = Signature::with_builtin_bool();
        let any = signature.sorts.push(Sort { name: "any".into(), kind: SortKind::Any, span: None });
        let mut reader = Reader { text: canonical.as_bytes(), at: 0, signature, heap: Heap::new(), any };
        let word = reader.term();
        assert_eq!(reader.at, canonical.len(), "{canonical}");
        let terms = Terms { signature: &reader.signature, heap: &reader.heap };
        let got = terms.value(SortKind::Any, word).to_string();
        if got != wanted {
            wrong.push(format!("{canonical}: wrote {got}, SWI-Prolog {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn plain_text_has_no_quotes() {
    use crate::value::Value;
    assert_eq!(Value::Atom("a b").plain().to_string(), "a b");
    assert_eq!(Value::Str("x\"y").plain().to_string(), "x\"y");
    assert_eq!(Value::Str("x\"y").to_string(), "\"x\\\"y\"");
}

#[test]
fn arguments_read_back_where_writeq_does_not() {
    for (canonical, wanted) in [
        ("'$VAR'(1)", "'$VAR'(1)"),
        ("f('$VAR'(27))", "f('$VAR'(27))"),
        ("'[]'(1)", "'[]'(1)"),
        ("{}(a,b)", "'{}'(a,b)"),
        ("{}(a)", "{a}"),
    ] {
        let mut signature = Signature::with_builtin_bool();
        let any = signature.sorts.push(Sort { name: "any".into(), kind: SortKind::Any, span: None });
        let mut reader = Reader { text: canonical.as_bytes(), at: 0, signature, heap: Heap::new(), any };
        let word = reader.term();
        let terms = Terms { signature: &reader.signature, heap: &reader.heap };
        assert_eq!(terms.value(SortKind::Any, word).argument().to_string(), wanted, "{canonical}");
    }
}
