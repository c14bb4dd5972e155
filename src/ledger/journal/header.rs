//! The first line.

use serde::{Deserialize, Serialize};

use super::replay::Refused;
use crate::model::version::Version;

/// The format that is written. What a later one means nobody can know, so that it is refused.
pub const FORMAT: u64 = 1;

/// What every file is.
const LEDGER: &str = "ledger";

/// The first line of every file: first of all says how the rest is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The release whose footprints are computed.
    pub version: Version,
}

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    draguard: &'a str,
    format: u64,
    kubernetes: &'a str,
}

/// How every header starts.
const START: &str = "{\"draguard\":\"ledger\"";

/// As much of it as every format has.
#[derive(Deserialize)]
struct Format<'a> {
    draguard: &'a str,
    format: u64,
}

impl Header {
    /// The line, without its end.
    #[must_use]
    pub fn line(self) -> String {
        let line = Line { draguard: LEDGER, format: FORMAT, kubernetes: self.version.as_str() };
        // Three fields of plain text and a number are always JSON.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Reads the line.
    ///
    /// # Errors
    ///
    /// When it is no header, or one of a format or release that is not known.
    pub fn read(line: &str) -> Result<Self, Refused> {
        let format: Format<'_> = serde_json::from_str(line).map_err(|_| unread(line))?;
        match format {
            Format { draguard: LEDGER, format: FORMAT } => {}
            Format { draguard: LEDGER, format } if format > FORMAT => return Err(Refused::Newer(format)),
            Format { draguard: LEDGER, format } => return Err(Refused::Unknown(format)),
            Format { .. } => return Err(Refused::NoLedger),
        }
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| Refused::Line(error.to_string()))?;
        let version = Version::named(line.kubernetes);
        Ok(Self { version: version.ok_or_else(|| Refused::Release(line.kubernetes.to_owned()))? })
    }
}

/// The writer may have been cut off in its first line.
fn unread(line: &str) -> Refused {
    let is_cut = !line.ends_with('\n') && (line.starts_with(START) || START.starts_with(line));
    if is_cut { Refused::Short } else { Refused::NoLedger }
}
