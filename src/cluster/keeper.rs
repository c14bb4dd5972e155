//! Keeps a book: what the cluster shows goes into the ledger, and how old that is stands beside it.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::task::JoinHandle;
use tokio::time::interval;

use super::access::Access;
use super::freshness::Freshness;
use super::live::Live;
use super::{Cluster, Options};
use crate::journal::Journal;
use crate::ledger::book::Book;
use crate::ledger::event::Event;
use crate::ledger::view;
use crate::model::version::Version;

/// How often the book hears how old it is, and what is served.
const TICK: Duration = Duration::from_millis(250);

/// Where what changes the ledger is written down.
#[derive(Debug)]
pub enum Record {
    /// Nowhere.
    None,
    /// There.
    Journal(Arc<Journal>),
    /// There is a journal that this program cannot read: what it says of old allocations is not known, so that no new
    /// mapped one may be made.
    Unreadable,
}

/// A book that is kept. Dropped, everything that it started ends.
#[derive(Debug)]
pub struct Keeper {
    cluster: Arc<Cluster>,
    access: Access,
    record: Record,
    ticking: JoinHandle<()>,
}

impl Keeper {
    /// Starts to keep `book`, and writes what changes it into the journal. Needs a running tokio.
    #[must_use]
    pub fn start(client: Client, options: Options, book: &Arc<Book>, record: Record) -> Self {
        let taking = Arc::clone(book);
        let journal = match &record {
            Record::Journal(journal) => Some(Arc::clone(journal)),
            Record::None | Record::Unreadable => None,
        };
        let told = journal.clone();
        let sink = move |event: Event| {
            match &journal {
                None => taking.apply(event),
                Some(journal) => {
                    taking.apply_and_tell(event, |event, changes, ledger| journal.record(event, changes, ledger))
                }
            };
        };
        let access = Access::new(client.clone());
        let cluster = Arc::new(Cluster::start(client, options, sink));
        let is_readable = !matches!(record, Record::Unreadable);
        let ticking = tokio::spawn(tick(Arc::clone(&cluster), Arc::clone(book), told, is_readable));
        Self { cluster, access, record, ticking }
    }

    /// What came of the journal; `None` where there is none.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        match &self.record {
            Record::Journal(journal) => Some(journal),
            Record::None | Record::Unreadable => None,
        }
    }

    /// Reads objects as they are now.
    #[must_use]
    pub fn live(&self) -> Live {
        self.cluster.live()
    }

    /// Asks what a caller may do.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
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

async fn tick(cluster: Arc<Cluster>, book: Arc<Book>, journal: Option<Arc<Journal>>, is_readable: bool) {
    let mut interval = interval(TICK);
    loop {
        interval.tick().await;
        // First, so that what is told of a fresh view is told of the right release.
        if let Some(shape) = cluster.served().shape {
            book.serve(Version::of_schema(Some(shape)), || journal.iter().for_each(|journal| journal.begin_anew()));
        }
        let freshness = match cluster.freshness() {
            _ if !is_readable => view::Freshness::Unreadable,
            Freshness::Fresh => view::Freshness::Fresh,
            Freshness::Stale { .. } => view::Freshness::Stale,
            Freshness::Rebuilding { .. } => view::Freshness::Rebuilding,
        };
        if freshness != book.freshness() {
            tracing::info!(?freshness, "the ledger's view");
            book.set_freshness(freshness, cluster.clock().now());
        }
    }
}
