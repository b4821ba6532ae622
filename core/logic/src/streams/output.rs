//! What a program writes, and where it is.

use gchr_base::control::Control;

/// Where output goes, and where in its line it is.
#[derive(Default)]
pub(crate) struct Output {
    /// Texts that are kept instead of being written (`with_output_to/2`), innermost last.
    pub kept: Vec<String>,
    /// Column of what was written.
    pub column: usize,
    /// What is written to `user_error`.
    pub errors: Option<Box<dyn std::io::Write>>,
}

impl Output {
    /// Writes to the console.
    pub fn write(&mut self, control: &mut Control<'_>, text: &str) -> std::io::Result<()> {
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
        control.out().write_all(text.as_bytes())
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("column", &self.column).finish_non_exhaustive()
    }
}
