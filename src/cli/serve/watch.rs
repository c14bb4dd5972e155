//! The cluster that `draguard serve` watches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use clap::Args;

use super::duration;
use crate::cluster::Options;
use crate::cluster::client::{ConnectError, connect};
use crate::cluster::keeper::Keeper;
use crate::guard::Guard;
use crate::ledger::book::Book;
use crate::model::version::Version;

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
        // Which release it is shows a moment later.
        let book = Arc::new(Book::new(Version::V137));
        let options = Options { window: self.view_window };
        let keeper = Keeper::start(client, options, &book, |_| {});
        guard.rcu(|known| Guard { book: Some(Arc::clone(&book)), ..Guard::clone(known) });
        Ok(Some(Arc::new(keeper)))
    }
}
