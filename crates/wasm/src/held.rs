//! What every value made from a file holds: the file, its scope, and where its lines are.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use verger_core::internal::{AnyLine, Complaint, Finder, LineTable};
use verger_core::{File, Refusal, Scope, Target};

use crate::json::Json;
use crate::shown;
use crate::values::{ReadLine, UnreadLine};

/// What every value made from a file holds.
pub struct Held {
    /// The file.
    pub file: File,
    /// What it governs.
    pub scope: Scope,
    url: Option<Vec<u8>>,
    table: OnceCell<Arc<LineTable>>,
}

impl Held {
    /// A parsed file, and the URL that it came from.
    pub fn of(file: File, scope: Scope, url: Option<Vec<u8>>) -> Rc<Held> {
        Rc::new(Held { file, scope, url, table: OnceCell::new() })
    }

    /// Decide a URL, given its target.
    pub fn ask<R>(&self, url: &[u8], answer: impl FnOnce(&Target) -> R) -> Result<R, String> {
        match verger_fast::target_within(&self.file, &self.scope, url) {
            Ok(target) => Ok(answer(&target)),
            Err(why) => Err(self.refusal(url, why)),
        }
    }

    #[cold]
    fn refusal(&self, url: &[u8], why: Refusal) -> String {
        let file = self.url.as_deref().unwrap_or_default();
        crate::told(Complaint::of_refusal(url, why, &self.scope, file, &shown))
    }

    /// Where its lines are, found once.
    pub fn table(&self) -> &Arc<LineTable> {
        self.table.get_or_init(|| Arc::new(LineTable::of(self.file.clone())))
    }

    /// A line of the table, counted from 0.
    pub fn write_line(&self, at: usize, finder: &Finder, out: &mut String) {
        match self.table().get(at) {
            Some(AnyLine::Read(info)) => ReadLine(&self.file, info, finder).write(out),
            Some(AnyLine::Unread(raw)) => UnreadLine(&self.file, raw, finder).write(out),
            None => out.push_str("null"),
        }
    }
}
