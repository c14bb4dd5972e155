//! Everything that talks to the API server: what is served, the watches, whether they are recent, live reads, access
//! reviews.
//!
//! Read [`Cluster`] first, then `watch`, `freshness`, `live`.

pub mod access;
pub mod client;
pub mod clock;
pub mod fetch;
pub mod freshness;
pub mod keeper;
mod list;
pub mod live;
mod paths;
mod probe;
mod proof;
mod read;
pub mod served;
mod shared;
pub mod signs;
mod watch;

use std::sync::Arc;

use kube::Client;
use tokio::task::JoinSet;

use self::clock::Clock;
use self::freshness::Freshness;
use self::live::Live;
use self::served::Served;
use self::shared::Shared;
use self::signs::Signs;
use self::watch::Follower;
use crate::ledger::event::Event;
use crate::ledger::object::Kind;

pub use shared::Options;

/// A cluster that is watched. Dropped, everything that it started ends.
pub struct Cluster {
    shared: Arc<Shared>,
    live: Live,
    tasks: JoinSet<()>,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Starts to watch; the sink hears of every event, one at a time. Needs a running tokio.
    #[must_use]
    pub fn start(client: Client, options: Options, sink: impl FnMut(Event) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::new(client, options, Box::new(sink)));
        let mut tasks = JoinSet::new();
        tasks.spawn(probe::served(Arc::clone(&shared)));
        for kind in Kind::ALL {
            tasks.spawn(Follower { shared: Arc::clone(&shared), kind }.run());
            tasks.spawn(probe::streams(Arc::clone(&shared), kind));
        }
        Self { live: Live::new(Arc::clone(&shared)), shared, tasks }
    }

    /// How recent the view is.
    #[must_use]
    pub fn freshness(&self) -> Freshness {
        self.shared.freshness()
    }

    /// What the API server serves, as far as it is known.
    #[must_use]
    pub fn served(&self) -> Served {
        self.shared.served()
    }

    /// Live reads.
    #[must_use]
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// What was counted.
    #[must_use]
    pub fn signs(&self) -> &Signs {
        &self.shared.signs
    }

    /// The clock that gives events their time.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.shared.clock
    }

    /// Ends everything that was started; afterwards the sink hears of nothing more.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}
