//! Messages on standard input and output: headers with a length, then JSON.

use std::io::{self, BufRead, Read, Write};

use gchr::base::escape;
use lsp_server::{ErrorCode, Message};
use serde_json::Value;

/// Longest message that is read.
const MOST: usize = 1 << 28;

/// What was read.
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none, and why.
    Wrong(ErrorCode, String),
}

/// Reads the next message; `None` at the end of the input. What is wrong costs its own bytes only.
pub fn read(input: &mut impl BufRead) -> Option<Incoming> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match input.take(1 << 16).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => return wrong(format!("it cannot be read: {error}")),
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match length {
                Some(length) => return body(input, length),
                // Empty lines before a header.
                None => continue,
            }
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                match value.trim().parse() {
                    Ok(number) => length = Some(number),
                    Err(_) => return wrong(format!("its length is no number: {:?}", value.trim())),
                }
            }
            Some(_) => {}
            None => return wrong("a line is no header".into()),
        }
    }
}

fn wrong(what: String) -> Option<Incoming> {
    Some(Incoming::Wrong(ErrorCode::ParseError, what))
}

fn body(input: &mut impl BufRead, length: usize) -> Option<Incoming> {
    if length > MOST {
        return wrong(format!("it is longer than {MOST} bytes"));
    }
    let mut bytes = Vec::new();
    match input.take(length as u64).read_to_end(&mut bytes) {
        Ok(read) if read == length => {}
        Ok(_) => return None,
        Err(error) => return wrong(format!("it cannot be read: {error}")),
    }
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => return wrong(format!("it is no message in JSON: {error}")),
    };
    Some(match message_of(value) {
        Ok(message) => Incoming::Message(message),
        Err(why) => Incoming::Wrong(ErrorCode::InvalidRequest, format!("it is no message: {why}")),
    })
}

fn message_of(value: Value) -> Result<Message, &'static str> {
    // The library reads the items of a list as the fields of a message.
    let fields = value.as_object().ok_or("a message is an object, and several do not come in one list")?;
    let is_id = |id: &Value| id.is_string() || id.as_i64().is_some_and(|n| i32::try_from(n).is_ok());
    // The library takes a request with another one for a notice.
    if fields.contains_key("method") && !fields.get("id").is_none_or(is_id) {
        return Err("the number of a request is a text, or an integer of 32 bits");
    }
    serde_json::from_value(value).map_err(|_| "it is neither a request nor a notice nor an answer")
}

/// Writes a message.
pub fn write(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(framed(message).as_bytes())?;
    out.flush()
}

/// A message with its length before it. Whatever shows it as it is, such as a log on a terminal, obeys nothing of it.
fn framed(message: &Value) -> String {
    let text = escape::json_text(&message.to_string());
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut input: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(next) = read(&mut input) {
            found.push(match next {
                Incoming::Message(_) => "message".to_string(),
                Incoming::Wrong(_, what) => what.split([':', ',']).next().unwrap_or("").to_string(),
            });
        }
        found
    }

    #[test]
    fn messages_hold_nothing_that_is_obeyed() {
        let text: String = ('\0'..='\u{ff}').chain('\u{2000}'..='\u{2070}').collect();
        let message = serde_json::json!({ "jsonrpc": "2.0", "method": "m", "params": [text] });
        let framed = framed(&message);
        let (header, body) = framed.split_once("\r\n\r\n").expect("a header");
        assert!(!body.contains(escape::is_hidden), "{body:?}");
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        assert_eq!(serde_json::from_str::<Value>(body).expect("JSON"), message);
    }

    #[test]
    fn what_is_wrong_costs_its_own_bytes() {
        let good = "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
        let text =
            format!("{good}Content-Length: 3\r\n\r\n{{x}}nonsense\n{good}Content-Length: x\r\n\r\n{good}");
        let is_none = "it is no message in JSON";
        assert_eq!(
            all(text.as_bytes()),
            ["message", is_none, "a line is no header", "message", "its length is no number", "message"]
        );
        for list in ["[]", "[1,\"shutdown\",null]", "[{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}]", "7", "{}"]
        {
            let text = format!("Content-Length: {}\r\n\r\n{list}{good}", list.len());
            assert_eq!(all(text.as_bytes()), ["it is no message", "message"], "{list}");
        }
        assert_eq!(all(b"Content-Length: 99999999999\r\n\r\n"), ["it is longer than 268435456 bytes"]);
        assert_eq!(all(&good.as_bytes()[..40]), Vec::<String>::new());
    }
}
