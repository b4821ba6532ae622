//! Damaged files on which a decoder panics. The decoders promise errors, and yet have conversions that are taken to
//! succeed: a panic in one of them is one more way to say that the file is damaged.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::Error;

thread_local! {
    /// Whether this thread is in a decoder.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Nothing of a panic in a decoder is printed: the hook of the process is asked about all others.
static HOOK: Once = Once::new();

fn hush() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODING.get() {
                before(info);
            }
        }));
    });
}

/// Runs a decoder; a panic is an error that says so.
pub fn decode<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    hush();
    let before = DECODING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    DECODING.set(before);
    result.unwrap_or_else(|cause| {
        let said = cause.downcast_ref::<String>().map(String::as_str);
        let said = said.or(cause.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(Error::Damaged(format!("it cannot be decoded: {said}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_decoder_is_an_error() {
        let number = "x".to_string();
        let failed = decode(|| Ok(number.parse::<u32>().expect("a number")));
        assert!(matches!(failed, Err(Error::Damaged(why)) if why.contains("a number")));
        assert!(!DECODING.get());
        assert!(matches!(decode(|| Ok(1)), Ok(1)));
    }
}
