//! The cluster that `draguard serve` watches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use clap::Args;

use super::duration;
use crate::cluster::Options;
use crate::cluster::client::{ConnectError, connect};
use crate::cluster::keeper::{Keeper, Record};
use crate::guard::Guard;
use crate::journal;
use crate::ledger::book::Book;
use crate::ledger::state::Ledger;
use crate::ledger::view::Freshness;
use crate::model::version::Version;
use crate::wire::clock::millis;

/// Flags of the watch.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub(super) struct Watch {
    /// Keep a ledger of the cluster that FILE tells of: nodes, slices, claims and pods are watched.
    #[arg(long, value_name = "FILE", conflicts_with = "standalone")]
    kubeconfig: Option<PathBuf>,
    /// Keep a ledger of the cluster that this pod runs in.
    #[arg(long, conflicts_with_all = ["kubeconfig", "standalone"])]
    in_cluster: bool,
    /// Remember in DIR what was charged, for the time after a restart.
    #[arg(long, value_name = "DIR", conflicts_with = "standalone")]
    journal: Option<PathBuf>,
    /// How old the view of the cluster may be before new mapped allocations wait.
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = duration)]
    view_window: Duration,
}

impl Watch {
    /// Starts to keep the guard's ledger; nothing where no cluster is named.
    pub(super) async fn start(&self, guard: &ArcSwap<Guard>) -> Result<Option<Arc<Keeper>>, ConnectError> {
        if self.kubeconfig.is_none() && !self.in_cluster {
            return Ok(None);
        }
        let client = connect(self.kubeconfig.as_deref()).await?;
        let (ledger, record) = self.record();
        let book = Arc::new(Book::of(ledger, Freshness::Rebuilding));
        book.set_freshness(Freshness::Rebuilding, millis());
        let options = Options { window: self.view_window };
        let keeper = Keeper::start(client, options, &book, record);
        guard.rcu(|known| Guard { book: Some(Arc::clone(&book)), ..Guard::clone(known) });
        Ok(Some(Arc::new(keeper)))
    }

    /// What the journal remembers, and where it goes on. One that cannot be read is never taken for an empty one.
    fn record(&self) -> (Ledger, Record) {
        // Which release is served shows a moment later.
        let empty = Ledger::new(Version::V137);
        let Some(dir) = &self.journal else { return (empty, Record::None) };
        match journal::open(journal::Options::of(dir.clone())) {
            Ok(opened) => {
                let ledger = opened.replayed.map_or(empty, |replayed| replayed.ledger);
                (ledger, Record::Journal(Arc::new(opened.journal)))
            }
            Err(error) => {
                tracing::error!(%error, "the journal cannot be read: new mapped allocations wait until it is moved away");
                (empty, Record::Unreadable)
            }
        }
    }
}
