//! One kind's stream: a complete list, then every change, for ever.
//!
//! kube's own `watcher` does the same, but keeps bookmarks and the versions of lists to itself; those are what shows
//! whether the view is recent.

mod backoff;
mod event;
mod lines;

use std::sync::Arc;
use std::time::Duration;

use kube::core::Request;
use kube::core::params::WatchParams;
use tokio::time::{Instant, sleep, timeout};

pub(super) use backoff::Backoff;
use event::{Seen, Told};
use lines::Lines;

use super::fetch::{FetchError, open};
use super::list::{self, Query};
use super::paths::path;
use super::shared::Shared;
use super::signs::KindSigns;
use crate::ledger::event::{Change, Relisted};
use crate::ledger::object::{Key, Kind};

/// Time for one page of a list.
const PAGE: Duration = Duration::from_mins(1);
/// Time until a watch begins.
const OPEN: Duration = Duration::from_secs(15);
/// A watch that is silent for so long after the server should have ended it is dead.
const GRACE: Duration = Duration::from_secs(5);
/// A watch that ends otherwise than in peace has recovered when it lived for so long.
const LIVED: Duration = Duration::from_secs(5);
/// Pods that have ended take nothing of their node; the scheduler's own watch leaves them out likewise.
pub(super) const NOT_OVER: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// Follows one kind.
pub(super) struct Follower {
    pub(super) shared: Arc<Shared>,
    pub(super) kind: Kind,
}

impl Follower {
    /// Follows it until the task is stopped.
    pub(super) async fn run(self) {
        let (mut backoff, mut from) = (Backoff::default(), None);
        loop {
            let (before, since, is_watch) = (self.signs().last_heard(), Instant::now(), from.is_some());
            let ended = self.step(&mut from).await;
            let is_alive = self.signs().last_heard() != before;
            // A list that is followed by a broken watch is no recovery: large clusters are not listed again and again.
            if is_alive && is_watch && (ended.is_ok() || since.elapsed() >= LIVED) {
                backoff.reset();
            }
            match ended {
                Ok(()) if is_alive => {}
                Ok(()) => sleep(backoff.next()).await,
                Err(error) => self.recover(error, &mut from, &mut backoff).await,
            }
        }
    }

    /// A list when nothing is known yet, else one watch until the server ends it.
    async fn step(&self, from: &mut Option<u64>) -> Result<(), FetchError> {
        self.shared.until_served(self.kind).await;
        match from {
            None => *from = Some(self.list().await?),
            Some(version) => self.watch(version).await?,
        }
        Ok(())
    }

    async fn recover(&self, error: FetchError, from: &mut Option<u64>, backoff: &mut Backoff) {
        let wait = backoff.next();
        let is_lost = error.is_gone() || matches!(error, FetchError::SetBack | FetchError::Form(_));
        self.signs().failures.add();
        tracing::warn!(resource = self.kind.plural(), %error, list_again = is_lost, ?wait, "watch interrupted");
        if is_lost {
            *from = None;
        }
        sleep(wait).await;
    }

    async fn list(&self) -> Result<u64, FetchError> {
        let asked = self.shared.clock.now();
        let path = path(self.kind, self.shared.served(), None)?;
        let query = Query { kind: self.kind, path: &path, fields: self.fields(), pool: None, time: PAGE };
        let listed = list::all(&self.shared.client, &query, self.signs()).await?;
        tracing::info!(resource = self.kind.plural(), objects = listed.objects.len(), "listed");
        self.signs().left_out.replace(listed.left_out.clone());
        let (objects, unread, version) = (listed.objects, listed.left_out, listed.version);
        let relisted = Relisted { kind: self.kind, objects, unread, version };
        self.shared.tell(Change::Relisted(relisted));
        self.shared.streams().of_mut(self.kind).listed(asked, listed.version);
        self.signs().relists.add();
        self.hear();
        Ok(listed.version)
    }

    async fn watch(&self, from: &mut u64) -> Result<(), FetchError> {
        let longest = self.shared.options.watch();
        let mut lines = Lines::new(self.open(*from, longest).await?);
        let idle = longest + GRACE;
        loop {
            let line = tokio::select! {
                line = timeout(idle, lines.next()) => line.unwrap_or(Err(FetchError::Late(idle)))?,
                () = self.shared.set_back(self.kind).notified() => return Err(FetchError::SetBack),
            };
            let Some(line) = line else { return Ok(()) };
            *from = self.take(event::read(self.kind, &line, self.signs())?);
        }
    }

    async fn open(&self, from: u64, longest: Duration) -> Result<kube::client::Body, FetchError> {
        let params = WatchParams {
            field_selector: self.fields(),
            timeout: u32::try_from(longest.as_secs()).ok(),
            ..WatchParams::default()
        };
        let path = path(self.kind, self.shared.served(), None)?;
        let request = Request::new(path).watch(&params, &from.to_string())?;
        timeout(OPEN, open(&self.shared.client, request)).await.unwrap_or(Err(FetchError::Late(OPEN)))
    }

    /// Takes over what was seen, and only then says how far it has come.
    fn take(&self, seen: Seen) -> u64 {
        match seen.told {
            Told::Change(change) => {
                self.signs().left_out.forget(key(&change));
                self.shared.tell(change);
            }
            Told::LeftOut(key) => self.signs().left_out.add(key),
            Told::Nothing => {}
        }
        self.shared.streams().of_mut(self.kind).reach(seen.version);
        self.hear();
        seen.version
    }

    fn fields(&self) -> Option<String> {
        (self.kind == Kind::Pod).then(|| NOT_OVER.to_owned())
    }

    fn hear(&self) {
        self.signs().hear(self.shared.clock.now());
    }

    fn signs(&self) -> &KindSigns {
        self.shared.signs.of(self.kind)
    }
}

fn key(change: &Change) -> Option<&Key> {
    match change {
        Change::Applied(object) => Some(object.key()),
        Change::Deleted(gone) => Some(&gone.key),
        Change::Relisted(_) => None,
    }
}
