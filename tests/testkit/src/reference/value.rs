//! Values of constraint programs: identity, the standard order of terms, and text.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// An atom.
    Atom(Arc<str>),
    /// A string.
    Str(Arc<str>),
    /// A compound term; `'[|]'` of two arguments is a list cell.
    Compound(Arc<str>, Arc<[Value]>),
}

impl Value {
    /// The standard order: numbers by value (a float before the integer that it equals), strings, atoms (`[]` first),
    /// compound terms by number of arguments, name and arguments. Equal means the very same.
    pub fn order(&self, other: &Value) -> Ordering {
        use Value::*;
        match (self, other) {
            (Int(a), Int(b)) => a.cmp(b),
            (Float(a), Float(b)) if a == b => b.is_sign_negative().cmp(&a.is_sign_negative()),
            (Float(a), Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (Int(a), Float(b)) => int_and_float(*a, *b).then(Ordering::Greater),
            (Float(a), Int(b)) => int_and_float(*b, *a).reverse().then(Ordering::Less),
            (Str(a), Str(b)) => a.cmp(b),
            (Atom(a), Atom(b)) => (&**a != "[]").cmp(&(&**b != "[]")).then_with(|| a.cmp(b)),
            (Compound(f, xs), Compound(g, ys)) => {
                let shape = xs.len().cmp(&ys.len()).then_with(|| f.cmp(g));
                let parts = || xs.iter().zip(ys.iter()).map(|(x, y)| x.order(y)).find(|o| o.is_ne());
                shape.then_with(|| parts().unwrap_or(Ordering::Equal))
            }
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Value::Int(_) | Value::Float(_) => 0,
            Value::Str(_) => 1,
            Value::Atom(_) => 2,
            Value::Compound(..) => 3,
        }
    }

    /// Whether the term, written out, has at most so many parts, of which are left what it does not have.
    pub fn is_within(&self, room: &mut u32) -> bool {
        if *room == 0 {
            return false;
        }
        *room -= 1;
        match self {
            Value::Compound(_, args) => args.iter().all(|arg| arg.is_within(room)),
            _ => true,
        }
    }

    /// Element and rest of a list cell.
    fn cell(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Compound(name, args) if &**name == "[|]" && args.len() == 2 => Some((&args[0], &args[1])),
            _ => None,
        }
    }

    /// The text that `write` shows, or `writeq`. `None` for terms with operators, braces and other names whose text
    /// takes more than a few rules.
    pub fn text(&self, quoted: bool) -> Option<String> {
        match self {
            Value::Int(n) => Some(n.to_string()),
            Value::Float(x) => Some(float_text(*x)),
            Value::Atom(name) => atom_text(name, quoted),
            Value::Str(text) if !quoted => Some(text.to_string()),
            Value::Str(text) => {
                let plain = text.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\' || c == ' ');
                plain.then(|| format!("\"{text}\""))
            }
            Value::Compound(..) if self.cell().is_some() => {
                let mut items = Vec::new();
                let mut rest = self;
                while let Some((item, next)) = rest.cell() {
                    items.push(item.text(quoted)?);
                    rest = next;
                }
                let end = match rest {
                    Value::Atom(name) if &**name == "[]" => String::new(),
                    tail => format!("|{}", tail.text(quoted)?),
                };
                Some(format!("[{}{end}]", items.join(",")))
            }
            Value::Compound(name, args) => {
                let word = is_word(name) && !["mod", "rem", "div", "xor", "is", "rdiv"].contains(&&**name);
                let args: Option<Vec<String>> = args.iter().map(|a| a.text(quoted)).collect();
                word.then_some(())?;
                Some(format!("{name}({})", args?.join(",")))
            }
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

/// The value with the names of functors before brackets, whatever they are: for messages only.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Float(x) => f.write_str(&float_text(*x)),
            Value::Atom(name) => write!(f, "'{name}'"),
            Value::Str(text) => write!(f, "{text:?}"),
            Value::Compound(name, args) => {
                write!(f, "'{name}'(")?;
                args.iter().try_for_each(|arg| write!(f, "{arg} "))?;
                f.write_str(")")
            }
        }
    }
}

/// Whether two numbers of different kinds are in order, by their exact values.
pub(super) fn int_and_float(n: i64, x: f64) -> Ordering {
    let whole = x.floor();
    if !(-1e19..1e19).contains(&whole) {
        return if whole > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    // Within this range the conversion is exact.
    let below = i128::from(n).cmp(&(whole as i128));
    below.then(if x > whole { Ordering::Less } else { Ordering::Equal })
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn atom_text(name: &str, quoted: bool) -> Option<String> {
    let bare = is_word(name) || matches!(name, "[]" | "{}" | "+" | "-" | "*");
    match quoted && !bare {
        false => Some(name.into()),
        true => name.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ').then(|| format!("'{name}'")),
    }
}

/// The shortest digits that read back as the float, always with a point; an exponent from 15 digits on.
fn float_text(x: f64) -> String {
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        return format!("{x:?}");
    }
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}e{exponent:+}")
}
