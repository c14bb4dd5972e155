//! A cluster that lives: its objects, and the history of every change to them, each with its own resource version.

mod layout;
mod live;
mod op;

use std::collections::{BTreeMap, BTreeSet};

use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::object::{Key, Kind, Name, Object, Stamp};
use draguard::model::version::Version;
use proptest::prelude::*;

pub use layout::Layout;
pub use live::amount;
pub use op::Op;

/// The most events of a history, before it is brought to an end.
const MOST: usize = 200;
/// The events that bring it to an end.
const RESERVE: usize = 20;

/// Everything that happened in a cluster.
#[derive(Debug, Clone)]
pub struct World {
    /// The release that its ledger follows.
    pub version: Version,
    /// The pools that it may have.
    pub layout: Layout,
    /// What happened, in order. The resource version of event `n` is `n + 1`.
    pub history: Vec<Event>,
    /// True when every pool is published in full at the end.
    pub is_settled: bool,
}

/// Any world.
pub fn world() -> impl Strategy<Value = World> {
    let ops = prop::collection::vec(op::op(), 1..160);
    (any::<bool>(), layout::layout(), ops, any::<bool>()).prop_map(|(is_new, layout, ops, is_settled)| {
        let mut world = Building::new(layout);
        for op in ops {
            if world.history.len() < MOST - RESERVE {
                world.act(&op);
            }
        }
        if is_settled {
            world.settle();
        }
        let version = if is_new { Version::V137 } else { Version::V136 };
        World { version, layout: world.layout, history: world.history, is_settled }
    })
}

impl World {
    /// The objects of a kind after the first events of the history.
    pub fn objects(&self, kind: Kind, after: usize) -> Vec<Object> {
        let mut live: BTreeMap<Key, Object> = BTreeMap::new();
        for event in &self.history[..after] {
            match &event.change {
                Change::Applied(object) if object.kind() == kind => {
                    live.insert(object.key().clone(), object.clone());
                }
                Change::Deleted(deleted) if deleted.kind == kind => {
                    live.remove(&deleted.key);
                }
                _ => {}
            }
        }
        live.into_values().collect()
    }
}

impl World {
    /// The kind and name of everything that there ever was.
    pub fn names(&self) -> BTreeSet<(Kind, Key)> {
        self.history.iter().map(told).map(|(kind, key, _)| (kind, key)).collect()
    }

    /// The name of every claim that there ever was.
    pub fn claims(&self) -> Vec<Key> {
        self.names().into_iter().filter(|(kind, _)| *kind == Kind::Claim).map(|(_, key)| key).collect()
    }
}

/// The kind, name and version that an event speaks of.
pub fn told(event: &Event) -> (Kind, Key, u64) {
    match &event.change {
        Change::Applied(object) => (object.kind(), object.key().clone(), object.stamp().version),
        Change::Deleted(deleted) => (deleted.kind, deleted.key.clone(), deleted.stamp.version),
        Change::Relisted(_) => panic!("a history has no lists"),
    }
}

/// A world under way.
pub struct Building {
    layout: Layout,
    history: Vec<Event>,
    live: live::Live,
}

impl Building {
    fn new(layout: Layout) -> Self {
        Self { layout, history: Vec::new(), live: live::Live::default() }
    }

    fn version(&self) -> u64 {
        self.history.len() as u64 + 1
    }

    fn stamp(&self, uid: &Name) -> Stamp {
        Stamp { uid: uid.clone(), version: self.version() }
    }

    /// A uid that nothing had before.
    fn uid(&self, kind: &str) -> Name {
        format!("{kind}-{}", self.version()).into()
    }

    fn apply(&mut self, object: Object) {
        let at = self.version() as i64 * 1000;
        self.history.push(Event { at, change: Change::Applied(object) });
    }

    fn delete(&mut self, kind: Kind, key: Key, uid: &Name) {
        let (at, stamp) = (self.version() as i64 * 1000, self.stamp(uid));
        self.history.push(Event { at, change: Change::Deleted(Deleted { kind, key, stamp }) });
    }
}
