//! Fields of fact files: what a column wants, and the cells that its fields become.

use gchr_base::hash::HashMap;

/// What the fields of a column must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Want {
    Int,
    /// An integer from 0.
    Natural,
    Float,
    /// Integers, or floats for the whole column.
    Number,
    Atom,
    Str,
    /// One of these atoms.
    OneOf(Vec<String>),
    /// Whatever all fields are: integers, else numbers, else atoms.
    Infer,
    /// The truth value `true`: a table has a column, and a constraint without arguments nothing to put there.
    Present,
}

/// The columns of a table for a constraint with these.
pub(super) fn of_table(columns: Vec<Want>) -> Vec<Want> {
    if columns.is_empty() { vec![Want::Present] } else { columns }
}

/// How the fields of a column are stored; a later shape holds what an earlier one holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Shape {
    Int,
    Float,
    Text,
}

impl Want {
    /// The shape to start with.
    pub fn shape(&self) -> Shape {
        match self {
            Want::Int | Want::Natural | Want::Number | Want::Infer => Shape::Int,
            Want::Float => Shape::Float,
            Want::Atom | Want::Str | Want::OneOf(_) | Want::Present => Shape::Text,
        }
    }
    /// The widest shape that fields may ask for.
    fn widest(&self) -> Shape {
        match self {
            Want::Int | Want::Natural => Shape::Int,
            Want::Float | Want::Number => Shape::Float,
            Want::Atom | Want::Str | Want::OneOf(_) | Want::Infer | Want::Present => Shape::Text,
        }
    }
    /// Whether the fields must be numbers.
    pub fn is_numeric(&self) -> bool {
        self.widest() < Shape::Text
    }
    /// What a field is expected to be, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Want::Int => "an integer",
            Want::Natural => "an integer from 0",
            Want::Float | Want::Number => "a number",
            Want::Atom => "an atom",
            Want::Str => "a string",
            Want::OneOf(_) => "a value of the column's type",
            Want::Infer => "a value",
            Want::Present => "true",
        }
    }
}

/// What is wrong with a field or a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The line has this many fields.
    Width(usize),
    /// Not what the column wants.
    Type,
    /// An integer of more than 64 bits, or a float that is not finite.
    Range,
    /// Below zero where that is not allowed.
    Negative,
    /// Not UTF-8.
    Encoding,
    /// It begins with a quote, and no other one ends it.
    Quote,
}

/// Texts of a column, each stored once.
#[derive(Clone, Default, Debug)]
pub(super) struct TextCells {
    /// Different texts in order of their first occurrence.
    pub names: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    pub values: Vec<u32>,
    /// Bytes of the names.
    name_bytes: usize,
}

/// Bytes that a name takes beside its letters: two boxes, the entry of a table.
const NAME: usize = 64;

impl TextCells {
    /// Adds a row, if its text is one that the column wants.
    pub fn add(&mut self, text: &str, want: &Want) -> Result<(), Fault> {
        let id = self.intern(text, want)?;
        self.values.push(id);
        Ok(())
    }

    /// The number of a text that the column wants.
    pub fn intern(&mut self, text: &str, want: &Want) -> Result<u32, Fault> {
        match (self.known.get(text), want) {
            (Some(&id), _) => Ok(id),
            (None, Want::OneOf(names)) if !names.iter().any(|name| name == text) => Err(Fault::Type),
            (None, Want::Present) if text != "true" => Err(Fault::Type),
            (None, _) => Ok(self.enter(text)),
        }
    }

    /// The number of a text that is not known yet.
    fn enter(&mut self, text: &str) -> u32 {
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(text.into());
        self.name_bytes += text.len();
        self.known.insert(text.into(), id);
        id
    }

    /// Bytes that it takes. The names are held twice, and once more among the texts of the program.
    fn bytes(&self) -> usize {
        self.values.capacity() * 4 + self.name_bytes * 3 + self.names.len() * NAME
    }

    /// Adds the rows of the next part of the file.
    fn append(&mut self, more: TextCells) {
        let number = |name: &str| self.known.get(name).copied().unwrap_or_else(|| self.enter(name));
        let numbers: Vec<u32> = more.names.iter().map(AsRef::as_ref).map(number).collect();
        self.values.extend(more.values.iter().map(|&value| numbers[value as usize]));
    }
}

/// Values of any types of a column, each as its parts in postfix order.
#[derive(Clone, Default, Debug)]
pub(super) struct TermCells {
    pub nodes: Vec<Node>,
    /// Where the parts of each value end.
    pub ends: Vec<usize>,
    /// The texts and names of all of them.
    pub texts: TextCells,
}

impl TermCells {
    /// Adds a value of one part.
    pub fn push(&mut self, node: Node) {
        self.nodes.push(node);
        self.ends.push(self.nodes.len());
    }
}

/// A part of a value; texts by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Int(i64),
    Float(f64),
    Atom(u32),
    Str(u32),
    /// A compound term of so many values before it.
    Compound {
        name: u32,
        arity: usize,
    },
}

/// The cells of a column.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(TextCells),
    Any(TermCells),
}

/// What became of a field.
pub(super) enum Stored {
    Done,
    /// The column needs a wider shape.
    Wider(Shape),
    Wrong(Fault),
}

impl Cells {
    pub fn new(shape: Shape) -> Self {
        match shape {
            Shape::Int => Cells::Int(Vec::new()),
            Shape::Float => Cells::Float(Vec::new()),
            Shape::Text => Cells::Text(TextCells::default()),
        }
    }

    /// Bytes that the cells take.
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Cells::Int(values) => values.capacity() * 8,
            Cells::Float(values) => values.capacity() * 8,
            Cells::Text(text) => text.bytes(),
            // The nodes are copied once more, with other names.
            Cells::Any(terms) => {
                terms.nodes.capacity() * 2 * size_of::<Node>()
                    + terms.ends.capacity() * 16
                    + terms.texts.bytes()
            }
        };
        bytes as u64
    }

    /// Adds a number, which makes the values those of any types where it is of another type than they are.
    pub fn add(&mut self, number: Node) {
        match (self, number) {
            (Cells::Int(all), Node::Int(n)) => all.push(n),
            (Cells::Float(all), Node::Float(x)) => all.push(x),
            (cells, node) => cells.any().push(node),
        }
    }

    /// The same values as values of any types; texts are atoms.
    pub fn any(&mut self) -> &mut TermCells {
        if !matches!(self, Cells::Any(_)) {
            let mut terms = TermCells::default();
            match std::mem::replace(self, Cells::Int(Vec::new())) {
                Cells::Int(values) => terms.nodes.extend(values.into_iter().map(Node::Int)),
                Cells::Float(values) => terms.nodes.extend(values.into_iter().map(Node::Float)),
                Cells::Text(mut texts) => {
                    terms.nodes.extend(std::mem::take(&mut texts.values).into_iter().map(Node::Atom));
                    terms.texts = texts;
                }
                Cells::Any(_) => {}
            }
            terms.ends = (1..=terms.nodes.len()).collect();
            *self = Cells::Any(terms);
        }
        match self {
            Cells::Any(terms) => terms,
            _ => unreachable!("it was made of any values above"),
        }
    }

    /// Parses a field and stores it.
    #[inline]
    pub fn push(&mut self, field: &[u8], want: &Want) -> Stored {
        match self {
            Cells::Int(values) => match int(field) {
                Ok(n) if n < 0 && *want == Want::Natural => Stored::Wrong(Fault::Negative),
                Ok(n) => {
                    values.push(n);
                    Stored::Done
                }
                Err(fault) => wider(field, want, fault),
            },
            Cells::Float(values) => match float(field) {
                Ok(x) => {
                    values.push(x);
                    Stored::Done
                }
                Err(_) if want.widest() == Shape::Text => Stored::Wider(Shape::Text),
                Err(fault) => Stored::Wrong(fault),
            },
            Cells::Text(cells) => match std::str::from_utf8(field) {
                Err(_) => Stored::Wrong(Fault::Encoding),
                Ok(text) => match cells.add(text, want) {
                    Ok(()) => Stored::Done,
                    Err(fault) => Stored::Wrong(fault),
                },
            },
            // Only formats whose values have types of their own make such cells.
            Cells::Any(_) => Stored::Wrong(Fault::Type),
        }
    }

    /// Appends the cells of the next part of the file. Both have the same shape.
    pub fn append(&mut self, other: Cells) {
        match (self, other) {
            (Cells::Int(all), Cells::Int(more)) => all.extend(more),
            (Cells::Float(all), Cells::Float(more)) => all.extend(more),
            (Cells::Text(all), Cells::Text(more)) => all.append(more),
            _ => debug_assert!(false, "parts of a column have one shape"),
        }
    }
}

/// The shape a column needs for a field that is no integer.
fn wider(field: &[u8], want: &Want, fault: Fault) -> Stored {
    match want.widest() {
        _ if fault == Fault::Range => Stored::Wrong(fault),
        Shape::Int => Stored::Wrong(fault),
        Shape::Float | Shape::Text if float(field).is_ok() => Stored::Wider(Shape::Float),
        Shape::Float => Stored::Wrong(fault),
        Shape::Text => Stored::Wider(Shape::Text),
    }
}

/// An integer; white space around it is allowed.
pub(super) fn int(field: &[u8]) -> Result<i64, Fault> {
    let field = field.trim_ascii();
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, field),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Fault::Type);
    }
    let mut value: i64 = 0;
    for &d in digits {
        let d = i64::from(d - b'0');
        value = value
            .checked_mul(10)
            .and_then(|v| if negative { v.checked_sub(d) } else { v.checked_add(d) })
            .ok_or(Fault::Range)?;
    }
    Ok(value)
}

/// A finite float; an integer is one too.
pub(super) fn float(field: &[u8]) -> Result<f64, Fault> {
    let field = field.trim_ascii();
    // Words such as `nan` and `infinity` are texts here.
    let number = !field.is_empty() && field.iter().all(|b| b.is_ascii_digit() || b"+-.eE".contains(b));
    let text = std::str::from_utf8(field).ok().filter(|_| number);
    match text.and_then(|t| t.parse::<f64>().ok()) {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err(Fault::Range),
        None => Err(Fault::Type),
    }
}

/// Whether a field looks like a number.
pub(super) fn is_number(field: &[u8]) -> bool {
    !matches!(float(field), Err(Fault::Type))
}
