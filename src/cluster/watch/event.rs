//! One event of a watch.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cluster::fetch::FetchError;
use crate::cluster::read::{self, Head};
use crate::cluster::signs::KindSigns;
use crate::ledger::event::Change;
use crate::ledger::object::{Key, Kind};

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The version that the stream has reached.
    pub version: u64,
    /// What is to be told.
    pub told: Told,
}

/// What is to be told.
#[expect(clippy::large_enum_variant, reason = "it is moved once, and the large one is the usual one")]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A change.
    Change(Change),
    /// That this object cannot be read.
    LeftOut(Key),
    /// Nothing: a bookmark.
    Nothing,
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
    let told = match line.verb {
        "ADDED" | "MODIFIED" => read::object(kind, line.object, signs)
            .map_or_else(Told::LeftOut, |object| Told::Change(Change::Applied(object))),
        "DELETED" => head.deleted(kind).map_or(Told::LeftOut(head.key()), |gone| Told::Change(Change::Deleted(gone))),
        _ => Told::Nothing,
    };
    count(&told, signs);
    Ok(Seen { version, told })
}

fn count(told: &Told, signs: &KindSigns) {
    match told {
        Told::Change(Change::Deleted(_)) => signs.deleted.add(),
        Told::Change(_) => signs.applied.add(),
        Told::LeftOut(_) => {}
        Told::Nothing => signs.bookmarks.add(),
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
    use super::{Seen, Told, read};
    use crate::cluster::signs::KindSigns;
    use crate::ledger::event::Change;
    use crate::ledger::object::{Key, Kind};

    const META: &str = r#""metadata": {"name": "n", "uid": "u", "resourceVersion": "7"}"#;

    fn line(verb: &str, object: &str) -> String {
        format!(r#"{{"type": "{verb}", "object": {{{object}}}}}"#)
    }

    #[test]
    fn changes_are_told() {
        let signs = KindSigns::default();
        let seen = |text: String| read(Kind::Node, text.as_bytes(), &signs).unwrap();
        let added = seen(line("ADDED", META)).told;
        assert!(matches!(added, Told::Change(Change::Applied(node)) if node.stamp().version == 7));
        let gone = seen(line("DELETED", META)).told;
        assert!(matches!(gone, Told::Change(Change::Deleted(gone)) if &*gone.stamp.uid == "u"));
        let backwards = format!(r#"{{"object": {{{META}}}, "type": "MODIFIED"}}"#);
        assert!(matches!(seen(backwards).told, Told::Change(_)));
        assert_eq!(seen(line("BOOKMARK", META)), Seen { version: 7, told: Told::Nothing });
        assert_eq!((signs.applied.count(), signs.deleted.count(), signs.bookmarks.count()), (2, 1, 1));
    }

    #[test]
    fn what_cannot_be_read_moves_the_stream_on() {
        let signs = KindSigns::default();
        let bad = line("ADDED", &format!(r#"{META}, "status": "none""#));
        let left_out = Told::LeftOut(Key::cluster("n"));
        assert_eq!(read(Kind::Node, bad.as_bytes(), &signs).unwrap(), Seen { version: 7, told: left_out });
        let gone = read(Kind::Node, line("DELETED", &format!(r#"{META}, "status": 5"#)).as_bytes(), &signs).unwrap();
        assert!(matches!(gone.told, Told::Change(Change::Deleted(_))));
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
