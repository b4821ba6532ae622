//! Requests that a client takes back. They are known before they are answered: the thread that reads messages notes
//! them, while the one that answers may be about another request.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use lsp_server::{Notification, RequestId};
use lsp_types::notification::{Cancel, Notification as _};
use lsp_types::{CancelParams, NumberOrString};

use super::documents;

/// The requests that were taken back and are not answered yet.
#[derive(Clone, Default)]
pub struct Withdrawn(Arc<Mutex<HashSet<RequestId>>>);

impl Withdrawn {
    /// Notes what a notice takes back, as it comes.
    pub fn note(&self, notice: &Notification) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(named_by(notice));
    }

    /// Whether a request was taken back, when it is its turn.
    pub fn has(&self, id: &RequestId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// It is the notice's own turn: the request came before it, and has its answer.
    pub fn forget(&self, notice: &Notification) {
        if let Some(id) = named_by(notice) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        }
    }
}

/// The request that a notice takes back.
fn named_by(notice: &Notification) -> Option<RequestId> {
    if notice.method != Cancel::METHOD {
        return None;
    }
    let CancelParams { id } = documents::read(notice.params.clone()).ok()?;
    Some(match id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    })
}
