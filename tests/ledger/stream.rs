//! The ways in which a history can reach a ledger.

use std::collections::BTreeMap;

use draguard::ledger::event::{Change, Event, Relisted};
use draguard::ledger::journal;
use draguard::ledger::object::{Key, Kind};
use draguard::ledger::state::Ledger;

use super::world::{World, told};

/// What happens on the way beside events in any order and repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nothing.
    Plain,
    /// Lists, and restarts without a memory.
    Forgetful,
    /// Lists, and restarts from the journal.
    Journalled,
}

/// A ledger on its way through a history.
pub struct Stream<'w> {
    world: &'w World,
    way: Way,
    dice: Dice,
    /// The events of each object that are still to come, the next one last.
    lanes: Vec<Vec<Event>>,
    /// What this ledger was told and may be told again.
    seen: Vec<Event>,
    /// How much of the history was seen of each kind.
    reached: BTreeMap<Kind, usize>,
    pub ledger: Ledger,
    pub journal: String,
}

impl<'w> Stream<'w> {
    pub fn new(world: &'w World, way: Way, seed: u64) -> Self {
        let ledger = Ledger::new(world.version);
        let journal = started(&ledger);
        let (lanes, dice) = (lanes(world), Dice(seed));
        Self { world, way, dice, lanes, seen: Vec::new(), reached: BTreeMap::new(), ledger, journal }
    }

    /// Goes all the way.
    pub fn run(mut self) -> Self {
        let mut steps = 0_usize;
        while !self.lanes.is_empty() {
            self.step();
            steps += 1;
            if steps.is_multiple_of(32) {
                assert_eq!(self.ledger.broken(), []);
            }
        }
        assert_eq!(self.ledger.broken(), []);
        self
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..15 => self.repeat(),
            15..18 if self.way != Way::Plain => self.relist(),
            18..20 if self.way == Way::Forgetful && self.world.is_settled => self.forget(),
            18..20 if self.way == Way::Journalled => self.restart(),
            _ => self.deliver(),
        }
    }

    /// The next events of one object: sometimes one, sometimes all, so that others fall far behind.
    fn deliver(&mut self) {
        let lane = self.dice.below(self.lanes.len());
        let count = [1, 1, 2, usize::MAX][self.dice.below(4)];
        for _ in 0..count.min(self.lanes[lane].len()) {
            let event = self.lanes[lane].pop().unwrap();
            let (kind, _, version) = told(&event);
            let reached = self.reached.entry(kind).or_default();
            *reached = (*reached).max(version as usize);
            self.seen.push(event.clone());
            self.tell(event);
        }
        if self.lanes[lane].is_empty() {
            self.lanes.swap_remove(lane);
        }
    }

    fn repeat(&mut self) {
        if !self.seen.is_empty() {
            let again = self.dice.below(self.seen.len());
            self.tell(self.seen[again].clone());
        }
    }

    fn relist(&mut self) {
        let kind = Kind::ALL[self.dice.below(4)];
        // A slice that came and went between two lists was never seen, nor what its devices map.
        if kind != Kind::Slice || self.world.is_settled {
            self.list(kind);
        }
    }

    /// A list is never older than what was seen before.
    fn list(&mut self, kind: Kind) {
        let reached = self.reached.get(&kind).copied().unwrap_or_default();
        let now = reached + self.dice.below(self.world.history.len() + 1 - reached);
        self.reached.insert(kind, now);
        let objects = self.world.objects(kind, now);
        self.tell(Event { at: now as i64 * 1000 + 500, change: Change::Relisted(Relisted::of(kind, objects)) });
    }

    /// A new process without a journal lists everything.
    fn forget(&mut self) {
        self.ledger = Ledger::new(self.world.version);
        self.journal = started(&self.ledger);
        self.seen.clear();
        let first = self.dice.below(4);
        (0..4).for_each(|nth| self.list(Kind::ALL[(first + nth) % 4]));
    }

    /// A new process with a journal goes on where the old one was. Sometimes it begins a new file.
    fn restart(&mut self) {
        let replayed = journal::replay(&self.journal).unwrap();
        assert_eq!(replayed.mismatches, []);
        assert_same(&replayed.ledger, &self.ledger);
        self.ledger = replayed.ledger;
        if self.dice.below(2) == 0 {
            self.journal = started(&self.ledger);
        }
    }

    fn tell(&mut self, event: Event) {
        let changes = self.ledger.apply(event.clone());
        if changes.is_new && self.way == Way::Journalled {
            self.journal.push_str(&journal::event(&event, &journal::versions(&changes, &self.ledger)));
        }
        assert!(changes.is_new || changes.nodes.is_empty(), "nothing new changed {:?}: {event:?}", changes.nodes);
    }
}

/// Two ledgers that cannot be told apart: what is written of them is the same, and so is what they come to.
pub fn assert_same(one: &Ledger, other: &Ledger) {
    let text = |ledger: &Ledger| journal::export(ledger, 0).collect::<Vec<String>>();
    assert_eq!(text(one), text(other));
    assert_eq!(one.accounts(), other.accounts());
    assert_eq!(one.troubles(), other.troubles());
}

/// The start of a journal.
pub fn started(ledger: &Ledger) -> String {
    journal::export(ledger, 0).collect()
}

fn lanes(world: &World) -> Vec<Vec<Event>> {
    let mut lanes: BTreeMap<(Kind, Key), Vec<Event>> = BTreeMap::new();
    for event in world.history.iter().rev() {
        let (kind, key, _) = told(event);
        lanes.entry((kind, key)).or_default().push(event.clone());
    }
    lanes.into_values().collect()
}

/// Numbers that come out the same for the same seed (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}
