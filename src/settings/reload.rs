//! Settings that follow their file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::Settings;
use super::load::{LoadError, ToJson, bytes, interpret};
use super::ready::Known;

/// How often the file is read again. Its content is compared, not its time: a mounted `ConfigMap` is swapped by
/// symbolic links, and two edits may fall into one tick of the file system's clock.
pub const PERIOD: Duration = Duration::from_secs(2);

/// Settings in use, replaced as a whole.
pub type Live = Arc<ArcSwap<Settings>>;

/// A settings file and the settings last read from it.
#[derive(Debug)]
pub struct Watched {
    file: PathBuf,
    to_json: ToJson,
    known: Known,
    seen: Seen,
    live: Live,
}

/// What the file was when it was last looked at.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Content(Vec<u8>),
    Unreadable(String),
}

impl Watched {
    /// Reads the file for the first time; an error here is for the caller to end with.
    pub fn open(file: PathBuf, to_json: ToJson, known: Known) -> Result<Self, LoadError> {
        let content = bytes(&file).map_err(|source| LoadError::Read { file: file.clone(), source })?;
        let settings = interpret(&file, &content, to_json, &known)?;
        let live = Arc::new(ArcSwap::from_pointee(settings));
        Ok(Self { file, to_json, known, seen: Seen::Content(content), live })
    }

    /// The settings in use, to be read at each request.
    #[must_use]
    pub fn live(&self) -> Live {
        Arc::clone(&self.live)
    }

    /// Looks at the file. Settings are replaced only by settings: on any error the last good ones stay, and the error
    /// is given once for each change of the file. True when they were replaced.
    pub fn poll(&mut self) -> Result<bool, LoadError> {
        let content = bytes(&self.file);
        let seen = match &content {
            Ok(bytes) => Seen::Content(bytes.clone()),
            Err(error) => Seen::Unreadable(error.to_string()),
        };
        if seen == self.seen {
            return Ok(false);
        }
        self.seen = seen;
        let content = content.map_err(|source| LoadError::Read { file: self.file.clone(), source })?;
        self.live.store(Arc::new(interpret(&self.file, &content, self.to_json, &self.known)?));
        Ok(true)
    }

    /// Follows the file for ever, and calls `changed` with the new settings after each change.
    pub async fn follow(mut self, changed: impl Fn(Arc<Settings>) + Send) {
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.poll() {
                Ok(false) => {}
                Ok(true) => {
                    changed(self.live.load_full());
                    tracing::info!(file = %self.file.display(), "settings read again");
                }
                Err(error) => tracing::error!(%error, "settings not changed: the last good ones stay"),
            }
        }
    }
}
