//! The answers of the last seconds, by whole identity and question.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::model::access::{Answer, Question};
use crate::model::request::Caller;

/// Answers at a time.
const MOST: usize = 2048;

/// An answer, and until when it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) answer: Answer,
    until: Instant,
}

impl Known {
    /// A right that was given lately should soon count; one that was taken back may count some seconds longer.
    pub(super) fn of(answer: Answer) -> Self {
        let time = match answer {
            Answer::Allowed => 10,
            Answer::Denied => 4,
            Answer::Unknown => 1,
        };
        Self { answer, until: Instant::now() + Duration::from_secs(time) }
    }
}

/// Two hashes with keys that nobody knows: a caller cannot make itself look like another one.
pub(super) type MemoryKey = [u64; 2];

/// What is remembered of a question.
pub(super) enum Look {
    /// The answer, or the place where it will come.
    Known(watch::Receiver<Option<Known>>),
    /// Nothing.
    Absent,
    /// Nothing, and there is no room for more.
    Full,
}

/// The answers by caller and question.
#[derive(Debug, Default)]
pub(super) struct Memory {
    keys: [RandomState; 2],
    known: HashMap<MemoryKey, watch::Receiver<Option<Known>>>,
}

impl Memory {
    pub(super) fn key(&self, caller: &Caller, question: &Question) -> MemoryKey {
        let Caller { username, uid, groups, extra } = caller;
        self.keys.each_ref().map(|key| key.hash_one((username, uid, groups, extra, question)))
    }

    /// The same for the caller alone.
    pub(super) fn caller(&self, caller: &Caller) -> u64 {
        let Caller { username, uid, groups, extra } = caller;
        self.keys[0].hash_one((username, uid, groups, extra))
    }

    pub(super) fn look(&mut self, key: MemoryKey, now: Instant) -> Look {
        if let Some(answer) = self.known.get(&key).filter(|answer| is_of_use(answer, now)) {
            return Look::Known(answer.clone());
        }
        if self.known.len() >= MOST {
            self.known.retain(|_, answer| is_of_use(answer, now));
        }
        if self.known.len() >= MOST { Look::Full } else { Look::Absent }
    }

    pub(super) fn keep(&mut self, key: MemoryKey, answer: watch::Receiver<Option<Known>>) {
        self.known.insert(key, answer);
    }
}

/// True while it is under way, and while it counts.
fn is_of_use(answer: &watch::Receiver<Option<Known>>, now: Instant) -> bool {
    match *answer.borrow() {
        Some(known) => now < known.until,
        None => answer.has_changed().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_identity_counts() {
        let memory = Memory::default();
        let caller = Caller { username: "u".to_owned(), ..Caller::default() };
        let others = [
            Caller { username: "v".to_owned(), ..caller.clone() },
            Caller { uid: "1".to_owned(), ..caller.clone() },
            Caller { groups: vec!["g".to_owned()], ..caller.clone() },
            Caller { extra: [("k".to_owned(), vec!["v".to_owned()])].into(), ..caller.clone() },
        ];
        let key = memory.key(&caller, &Question::Binding);
        assert_eq!(key, memory.key(&caller.clone(), &Question::Binding));
        assert!(others.iter().all(|other| memory.key(other, &Question::Binding) != key));
        let driver = |namespace: &str| Question::Driver {
            name: "d".to_owned(),
            namespace: namespace.to_owned(),
            is_associated: false,
        };
        assert_ne!(memory.key(&caller, &driver("a")), memory.key(&caller, &driver("b")));
    }

    #[test]
    fn it_holds_so_many_answers_and_no_more() {
        let now = Instant::now();
        let mut memory = Memory::default();
        let (_tell, coming) = watch::channel(None);
        for nth in 0..MOST as u64 {
            assert!(matches!(memory.look([nth, 0], now), Look::Absent));
            memory.keep([nth, 0], coming.clone());
        }
        assert!(matches!(memory.look([0, 1], now), Look::Full));
        assert!(matches!(memory.look([0, 0], now), Look::Known(_)));
        let (_tell, old) = watch::channel(Some(Known { answer: Answer::Allowed, until: now }));
        memory.keep([7, 0], old);
        assert!(matches!(memory.look([0, 1], now), Look::Absent));
    }
}
