//! The laws.

use draguard::ledger::account::Sums;
use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::journal;
use draguard::ledger::object::{Kind, Stamp};
use draguard::ledger::state::Ledger;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::oracle;
use super::stream::{Dice, Stream, Way, assert_same};
use super::summary::summary;
use super::world::{World, world};

/// How many worlds are made for each of the four laws, unless `PROPTEST_CASES` says so: ten thousand together.
const CASES: u32 = 2_500;

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    ProptestConfig { failure_persistence: None, cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_order_with_repeats_ends_in_the_same_ledger((world, seed) in (world(), any::<u64>())) {
        let straight = straight(&world);
        let stream = Stream::new(&world, Way::Plain, seed).run();
        prop_assert_eq!(summary(&stream.ledger, &world), summary(&straight, &world));
    }

    #[test]
    fn lists_and_restarts_without_a_memory_end_in_the_same_ledger((world, seed) in (world(), any::<u64>())) {
        let straight = straight(&world);
        let stream = Stream::new(&world, Way::Forgetful, seed).run();
        prop_assert_eq!(summary(&stream.ledger, &world), summary(&straight, &world));
    }

    #[test]
    fn the_journal_tells_the_ledger_exactly((world, seed) in (world(), any::<u64>())) {
        let straight = straight(&world);
        let stream = Stream::new(&world, Way::Journalled, seed).run();
        let replayed = journal::replay(&stream.journal).unwrap();
        prop_assert_eq!(replayed.mismatches, []);
        assert_same(&replayed.ledger, &stream.ledger);
        prop_assert_eq!(summary(&replayed.ledger, &world), summary(&straight, &world));
    }

    #[test]
    fn charges_are_those_counted_by_hand_and_all_is_given_back((world, seed) in (world(), any::<u64>())) {
        let mut ledger = straight(&world);
        if world.is_settled {
            let expected = oracle::expected(&world);
            prop_assert_eq!(oracle::found(&ledger, expected.keys().cloned()), expected);
        }
        release(&mut ledger, &world, seed)?;
    }
}

/// The ledger of someone who saw everything once, in order.
fn straight(world: &World) -> Ledger {
    let mut ledger = Ledger::new(world.version);
    for event in &world.history {
        ledger.apply(event.clone());
    }
    assert_eq!(ledger.broken(), []);
    ledger
}

/// Deletes every claim and pod, in any order: nothing is left on any node.
fn release(ledger: &mut Ledger, world: &World, seed: u64) -> Result<(), TestCaseError> {
    let end = world.history.len();
    let mut left = world.objects(Kind::Claim, end);
    left.extend(world.objects(Kind::Pod, end));
    let (mut dice, mut version) = (Dice(seed), end as u64);
    while !left.is_empty() {
        version += 1;
        let object = left.swap_remove(dice.below(left.len()));
        let stamp = Stamp { uid: object.stamp().uid.clone(), version };
        let deleted = Deleted { kind: object.kind(), key: object.key().clone(), stamp };
        ledger.apply(Event { at: 0, change: Change::Deleted(deleted) });
        prop_assert_eq!(ledger.broken(), []);
    }
    for account in ledger.accounts().values() {
        prop_assert!(account.is_empty());
        prop_assert_eq!(account.sums(), &Sums::default());
    }
    prop_assert!(ledger.troubles().is_empty());
    Ok(())
}
