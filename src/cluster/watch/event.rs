//! One event of a watch.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cluster::fetch::FetchError;
use crate::cluster::read::{self, Head};
use crate::cluster::signs::KindSigns;
use crate::ledger::event::Change;
use crate::ledger::object::Kind;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The version that the stream has reached.
    pub version: u64,
    /// What is to be told: nothing of a bookmark, nor of an object that cannot be read.
    pub change: Option<Change>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    verb: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct Status {
    code: u16,
    #[serde(default)]
    message: String,
}

/// Reads a line, and counts it.
pub(super) fn read(kind: Kind, line: &[u8], signs: &KindSigns) -> Result<Seen, FetchError> {
    let line: Line<'_> = serde_json::from_slice(line).map_err(|error| FetchError::Form(error.to_string()))?;
    if line.verb == "ERROR" {
        return Err(refused(line.object));
    }
    let head = Head::of(line.object);
    let version = head.version().ok_or_else(|| FetchError::Form("an event without a resourceVersion".to_owned()))?;
    let change = match line.verb {
        "ADDED" | "MODIFIED" => read::object(kind, line.object, signs).map(Change::Applied),
        "DELETED" => head.deleted(kind).map(Change::Deleted),
        _ => None,
    };
    count(line.verb, change.as_ref(), signs);
    Ok(Seen { version, change })
}

fn count(verb: &str, change: Option<&Change>, signs: &KindSigns) {
    match (verb, change) {
        ("BOOKMARK", _) => signs.bookmarks.add(),
        (_, Some(Change::Applied(_))) => signs.applied.add(),
        (_, Some(Change::Deleted(_))) => signs.deleted.add(),
        _ => {}
    }
}

fn refused(object: &RawValue) -> FetchError {
    match serde_json::from_str(object.get()) {
        Ok(Status { code, message }) => FetchError::Refused { code, message },
        Err(error) => FetchError::Form(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Seen, read};
    use crate::cluster::signs::KindSigns;
    use crate::ledger::event::Change;
    use crate::ledger::object::Kind;

    const META: &str = r#""metadata": {"name": "n", "uid": "u", "resourceVersion": "7"}"#;

    fn line(verb: &str, object: &str) -> String {
        format!(r#"{{"type": "{verb}", "object": {{{object}}}}}"#)
    }

    #[test]
    fn changes_are_told() {
        let signs = KindSigns::default();
        let seen = |text: String| read(Kind::Node, text.as_bytes(), &signs).unwrap();
        let added = seen(line("ADDED", META)).change;
        assert!(matches!(added, Some(Change::Applied(node)) if node.stamp().version == 7));
        assert!(matches!(seen(line("DELETED", META)).change, Some(Change::Deleted(gone)) if &*gone.stamp.uid == "u"));
        let backwards = format!(r#"{{"object": {{{META}}}, "type": "MODIFIED"}}"#);
        assert!(seen(backwards).change.is_some());
        assert_eq!(seen(line("BOOKMARK", META)), Seen { version: 7, change: None });
        assert_eq!((signs.applied.count(), signs.deleted.count(), signs.bookmarks.count()), (2, 1, 1));
    }

    #[test]
    fn what_cannot_be_read_moves_the_stream_on() {
        let signs = KindSigns::default();
        let bad = line("ADDED", &format!(r#"{META}, "status": "none""#));
        assert_eq!(read(Kind::Node, bad.as_bytes(), &signs).unwrap(), Seen { version: 7, change: None });
        let gone = read(Kind::Node, line("DELETED", &format!(r#"{META}, "status": 5"#)).as_bytes(), &signs).unwrap();
        assert!(matches!(gone.change, Some(Change::Deleted(_))));
        assert_eq!((signs.unreadable.count(), signs.applied.count(), signs.deleted.count()), (1, 0, 1));
    }

    #[test]
    fn errors_of_the_server_are_errors() {
        let signs = KindSigns::default();
        let error = |text: &str| read(Kind::Pod, text.as_bytes(), &signs).unwrap_err();
        assert!(error(r#"{"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "old"}}"#).is_gone());
        assert!(!error(r#"{"type": "ERROR", "object": {"code": 500}}"#).is_gone());
        for text in ["", "{}", "[]", r#"{"type": "ADDED", "object": {}}"#, r#"{"type": "ERROR", "object": 5}"#] {
            assert!(matches!(error(text), super::FetchError::Form(_)), "{text}");
        }
    }
}
