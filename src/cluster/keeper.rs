//! Keeps a book: what the cluster shows goes into the ledger, and how old that is stands beside it.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::task::JoinHandle;
use tokio::time::interval;

use super::freshness::Freshness;
use super::live::Live;
use super::{Cluster, Options};
use crate::ledger::book::Book;
use crate::ledger::event::Event;
use crate::ledger::view;
use crate::model::version::Version;

/// How often the book hears how old it is, and what is served.
const TICK: Duration = Duration::from_millis(250);

/// A book that is kept. Dropped, everything that it started ends.
#[derive(Debug)]
pub struct Keeper {
    cluster: Arc<Cluster>,
    ticking: JoinHandle<()>,
}

impl Keeper {
    /// Starts to keep `book`; `told` hears of every event after the ledger did. Needs a running tokio.
    #[must_use]
    pub fn start(
        client: Client,
        options: Options,
        book: &Arc<Book>,
        mut told: impl FnMut(&Event) + Send + 'static,
    ) -> Self {
        let taking = Arc::clone(book);
        let sink = move |event: Event| {
            let seen = event.clone();
            if taking.apply(event).is_new {
                told(&seen);
            }
        };
        let cluster = Arc::new(Cluster::start(client, options, sink));
        let ticking = tokio::spawn(tick(Arc::clone(&cluster), Arc::clone(book)));
        Self { cluster, ticking }
    }

    /// Reads objects as they are now.
    #[must_use]
    pub fn live(&self) -> Live {
        self.cluster.live()
    }

    /// The watches, for their counters.
    #[must_use]
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ticking.abort();
    }
}

async fn tick(cluster: Arc<Cluster>, book: Arc<Book>) {
    let mut interval = interval(TICK);
    loop {
        interval.tick().await;
        let freshness = match cluster.freshness() {
            Freshness::Fresh => view::Freshness::Fresh,
            Freshness::Stale { .. } => view::Freshness::Stale,
            Freshness::Rebuilding { .. } => view::Freshness::Rebuilding,
        };
        if freshness != book.freshness() {
            tracing::info!(?freshness, "the ledger's view");
            book.set_freshness(freshness, cluster.clock().now());
        }
        if let Some(shape) = cluster.served().shape {
            book.serve(Version::of_schema(Some(shape)));
        }
    }
}
