//! Whether what was seen of the cluster is recent enough to decide by. Pure: times and versions are given.
//!
//! Signs of life alone do not prove it: an API server that has lost its etcd still sends bookmarks. So each stream is
//! probed: a list that the server answers from etcd tells the version of that moment. Once the stream has reached that
//! version, everything up to the moment of the question has been seen. A complete list proves itself.

use std::collections::VecDeque;

use crate::ledger::object::Kind;

/// Questions that may wait for their proof; more are left out, the oldest proves first.
const PENDING: usize = 32;

/// How recent the view of the cluster is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// Everything up to the window's begin has been seen.
    Fresh,
    /// Changes may be missing.
    Stale {
        /// The kind that is furthest behind.
        kind: Kind,
        /// When the window was over, in milliseconds since 1970.
        since: i64,
    },
    /// Not every kind was listed completely yet.
    Rebuilding {
        /// The kinds that are missing.
        missing: Vec<Kind>,
    },
}

/// How far each kind's stream has come.
#[derive(Debug, Default)]
pub struct Streams {
    kinds: [Stream; Kind::ALL.len()],
}

impl Streams {
    /// The stream of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> &Stream {
        let [node, slice, claim, pod] = &self.kinds;
        match kind {
            Kind::Node => node,
            Kind::Slice => slice,
            Kind::Claim => claim,
            Kind::Pod => pod,
        }
    }

    /// The stream of a kind, to tell it what was seen.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Stream {
        let [node, slice, claim, pod] = &mut self.kinds;
        match kind {
            Kind::Node => node,
            Kind::Slice => slice,
            Kind::Claim => claim,
            Kind::Pod => pod,
        }
    }

    /// How recent the view is at the time `now`, when `window` milliseconds are recent.
    #[must_use]
    pub fn freshness(&self, now: i64, window: i64) -> Freshness {
        let proven = |kind: &Kind| self.of(*kind).proven;
        let missing: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| proven(kind).is_none()).collect();
        if !missing.is_empty() {
            return Freshness::Rebuilding { missing };
        }
        let oldest = Kind::ALL.into_iter().filter_map(|kind| Some((proven(&kind)?, kind))).min();
        match oldest.map(|(proven, kind)| (proven.saturating_add(window), kind)) {
            Some((since, kind)) if since < now => Freshness::Stale { kind, since },
            _ => Freshness::Fresh,
        }
    }
}

/// How far one kind's stream has come.
#[derive(Debug, Default)]
pub struct Stream {
    /// Everything up to this time has been seen.
    proven: Option<i64>,
    /// The version that the stream has reached.
    reached: u64,
    /// Questions whose answers the stream has not reached yet, the oldest first.
    probes: VecDeque<Probe>,
}

#[derive(Debug)]
struct Probe {
    asked: i64,
    version: u64,
}

/// What a probe says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// The stream is at that version, or will be.
    Onwards,
    /// The server is behind what it has sent: its storage was set back, and only a new list tells what is left.
    SetBack,
}

impl Stream {
    /// A complete list, asked for at `asked`, was taken over; it holds everything up to `version`.
    pub fn listed(&mut self, asked: i64, version: u64) {
        self.proven = self.proven.max(Some(asked));
        self.reached = version;
        self.probes.clear();
    }

    /// An event was taken over, or a bookmark seen.
    pub fn reach(&mut self, version: u64) {
        self.reached = self.reached.max(version);
        while let Some(probe) = self.probes.pop_front_if(|probe| probe.version <= self.reached) {
            self.proven = self.proven.max(Some(probe.asked));
        }
    }

    /// The server was asked at `asked`, when the stream was at `reached`, and said that it is at `version`.
    pub fn probed(&mut self, asked: i64, reached: u64, version: u64) -> Probed {
        // Listed anew in between: the answer may be of before.
        if self.reached < reached {
            return Probed::Onwards;
        }
        if version < reached {
            return Probed::SetBack;
        }
        if self.probes.len() < PENDING {
            self.probes.push_back(Probe { asked, version });
        }
        self.reach(self.reached);
        Probed::Onwards
    }

    /// The version that the stream has reached; 0 before the first list.
    #[must_use]
    pub const fn reached(&self) -> u64 {
        self.reached
    }

    /// The time up to which everything has been seen.
    #[must_use]
    pub const fn proven(&self) -> Option<i64> {
        self.proven
    }
}

#[cfg(test)]
mod tests {
    use super::{Freshness, Probed, Streams};
    use crate::ledger::object::Kind;

    const WINDOW: i64 = 120;

    /// All four listed at 1000, at version 50.
    fn listed() -> Streams {
        let mut streams = Streams::default();
        for kind in Kind::ALL {
            streams.of_mut(kind).listed(1000, 50);
        }
        streams
    }

    #[test]
    fn until_the_first_lists_it_is_rebuilding() {
        let mut streams = Streams::default();
        for kind in [Kind::Pod, Kind::Node, Kind::Slice] {
            streams.of_mut(kind).listed(1000, 50);
        }
        assert_eq!(streams.freshness(9999, WINDOW), Freshness::Rebuilding { missing: vec![Kind::Claim] });
        streams.of_mut(Kind::Claim).listed(1000, 50);
        assert_eq!(streams.freshness(1000, WINDOW), Freshness::Fresh);
    }

    #[test]
    fn the_window_ends_with_the_kind_furthest_behind() {
        let mut streams = listed();
        streams.of_mut(Kind::Slice).listed(900, 60);
        streams.of_mut(Kind::Node).listed(1100, 60);
        assert_eq!(streams.freshness(1120, WINDOW), Freshness::Fresh);
        assert_eq!(streams.freshness(1121, WINDOW), Freshness::Stale { kind: Kind::Slice, since: 1120 });
    }

    #[test]
    fn an_event_alone_proves_nothing() {
        let mut streams = listed();
        for kind in Kind::ALL {
            streams.of_mut(kind).reach(70);
        }
        assert!(matches!(streams.freshness(1121, WINDOW), Freshness::Stale { .. }));
    }

    #[test]
    fn a_probe_proves_once_the_stream_has_reached_it() {
        let mut streams = listed();
        let stream = streams.of_mut(Kind::Pod);
        assert_eq!(stream.probed(1100, 50, 60), Probed::Onwards);
        assert_eq!(stream.proven(), Some(1000));
        stream.reach(59);
        assert_eq!(stream.proven(), Some(1000));
        stream.reach(60);
        assert_eq!(stream.proven(), Some(1100));
    }

    #[test]
    fn a_probe_of_a_quiet_stream_proves_at_once() {
        let mut streams = listed();
        let stream = streams.of_mut(Kind::Pod);
        assert_eq!(stream.probed(1100, 50, 50), Probed::Onwards);
        assert_eq!(stream.proven(), Some(1100));
    }

    #[test]
    fn later_probes_do_not_push_an_earlier_one_out() {
        let mut streams = listed();
        let stream = streams.of_mut(Kind::Pod);
        for step in 1..1000 {
            stream.probed(1000 + step, 50, 50 + step.unsigned_abs());
        }
        stream.reach(51);
        assert_eq!(stream.proven(), Some(1001));
    }

    #[test]
    fn storage_that_was_set_back_is_seen() {
        let mut streams = listed();
        let stream = streams.of_mut(Kind::Pod);
        assert_eq!(stream.probed(1100, 50, 49), Probed::SetBack);
        stream.listed(1200, 30);
        assert_eq!((stream.reached(), stream.proven()), (30, Some(1200)));
        assert_eq!(stream.probed(1150, 50, 49), Probed::Onwards, "asked before the list");
    }
}
