//! What the tasks of a cluster share.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::Client;
use tokio::sync::{Notify, watch};

use super::clock::Clock;
use super::freshness::{Freshness, Streams};
use super::served::Served;
use super::signs::Signs;
use crate::ledger::event::{Change, Event};
use crate::ledger::object::Kind;

/// How a cluster is watched.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How old the view may be. Some seconds at least: the server tells of a quiet stream only every few seconds.
    pub window: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { window: Duration::from_mins(2) }
    }
}

impl Options {
    /// How long one watch goes on. The server sends a bookmark 2 s before its end, and one a minute otherwise: what a
    /// probe asks is proven so within half of the window.
    pub(super) fn watch(self) -> Duration {
        (self.window / 4).clamp(Duration::from_secs(3), Duration::from_secs(290))
    }

    /// How often each stream is probed.
    pub(super) fn probe(self) -> Duration {
        (self.window / 4).clamp(Duration::from_millis(500), Duration::from_mins(1))
    }
}

/// Who is told of the events.
pub(super) type Sink = Box<dyn FnMut(Event) + Send>;

/// What the tasks share.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) clock: Clock,
    pub(super) options: Options,
    pub(super) signs: Signs,
    pub(super) found: watch::Sender<Served>,
    streams: Mutex<Streams>,
    sink: Mutex<Sink>,
    set_back: [Notify; Kind::ALL.len()],
}

impl Shared {
    pub(super) fn new(client: Client, options: Options, sink: Sink) -> Self {
        Self {
            client,
            options,
            clock: Clock::start(),
            signs: Signs::default(),
            found: watch::Sender::default(),
            streams: Mutex::default(),
            sink: Mutex::new(sink),
            set_back: Default::default(),
        }
    }

    /// Tells the sink. One event at a time: what it does with one is done before it hears of the next.
    pub(super) fn tell(&self, change: Change) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(Event { at: self.clock.now(), change });
    }

    pub(super) fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn freshness(&self) -> Freshness {
        let window = i64::try_from(self.options.window.as_millis()).unwrap_or(i64::MAX);
        self.streams().freshness(self.clock.now(), window)
    }

    pub(super) fn served(&self) -> Served {
        *self.found.borrow()
    }

    /// Waits until a version is known, where the kind has more than one.
    pub(super) async fn until_served(&self, kind: Kind) {
        if matches!(kind, Kind::Slice | Kind::Claim) {
            // The sender lives as long as this does.
            let _ = self.found.subscribe().wait_for(|served| served.version.is_some()).await;
        }
    }

    /// Rung when the server's storage was set back.
    pub(super) fn set_back(&self, kind: Kind) -> &Notify {
        let [node, slice, claim, pod] = &self.set_back;
        match kind {
            Kind::Node => node,
            Kind::Slice => slice,
            Kind::Claim => claim,
            Kind::Pod => pod,
        }
    }
}
