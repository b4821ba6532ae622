//! Pages that need nothing else: no network, no scripts.

pub(crate) use gchr_base::escape::markup as escape;

const STYLE: &str = include_str!("page.css");

/// A table that is wider than the page is moved to and fro by itself.
pub(crate) const TABLE: [&str; 2] = ["<div class=scroll><table>\n", "</table></div>\n"];

/// What a page says at its end of how it came about.
pub(crate) struct Origin<'a> {
    /// The command line, where there is one.
    pub command: Option<&'a str>,
    /// The machine, and the version of gchr on it.
    pub machine: Option<String>,
}

/// A page with a title around its content, and links to its sections: their ids and titles.
pub(crate) fn document(title: &str, sections: &[(&str, &str)], body: &str, origin: &Origin<'_>) -> String {
    let title = escape(title);
    let links = sections.iter().map(|(id, name)| format!("<a href=\"#{id}\">{}</a>\n", escape(name)));
    let links: String = links.collect();
    let command = origin.command.map(|command| format!("<p><code>{}</code></p>\n", escape(command)));
    let machine = origin.machine.as_ref().map(|machine| format!("<p>{}</p>\n", escape(machine)));
    format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>{title}</title>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <nav aria-label=\"sections\">\n{links}</nav>\n</header>\n<main>\n{body}</main>\n\
         <footer>\n{}{}</footer>\n</body>\n</html>\n",
        command.unwrap_or_default(),
        machine.unwrap_or_default(),
    )
}

/// `7,813,136`
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (7_813_136, "7,813,136"), (100_000, "100,000")];
        cases.into_iter().for_each(|(n, text)| assert_eq!(grouped(n), text));
    }
}
