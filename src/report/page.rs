//! Pages that need nothing else: no network, no scripts.

pub(crate) use gchr_base::escape::markup as escape;

const STYLE: &str = include_str!("page.css");

/// A table that is wider than the page is moved to and fro by itself.
pub(crate) const TABLE: [&str; 2] = ["<div class=scroll><table>\n", "</table></div>\n"];

/// A page with a title around its content.
pub(crate) fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>{title}</title>\n\
         <meta name=viewport content=\"width=device-width\">\n<link rel=icon href=\"data:,\">\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}
