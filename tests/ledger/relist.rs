//! What a list says beside what is known, and what becomes of what nobody needs any more.

use draguard::ledger::event::{Change, Deleted, Event, Relisted};
use draguard::ledger::journal::replay;
use draguard::ledger::object::{Key, Kind, Object, Pod, Stamp};
use draguard::ledger::requests::PodNeeds;
use draguard::ledger::state::Ledger;
use draguard::model::version::Version;

use super::lines::{charged, claim, slice, tell};
use super::stream::{assert_same, started};

fn relist(ledger: &mut Ledger, relisted: Relisted) {
    ledger.apply(Event { at: 0, change: Change::Relisted(relisted) });
    assert_eq!(ledger.broken(), []);
}

#[test]
fn what_was_listed_and_could_not_be_read_stays() {
    let mut ledger = Ledger::new(Version::V137);
    tell(&mut ledger, Object::Slice(slice("4", 1)));
    tell(&mut ledger, Object::Claim(claim(2)));
    let unread = vec![claim(2).key];
    relist(&mut ledger, Relisted { unread, ..Relisted::of(Kind::Claim, Vec::new()) });
    assert_eq!(charged(&ledger), "4");
    relist(&mut ledger, Relisted::of(Kind::Claim, Vec::new()));
    assert!(ledger.claim(&claim(2).key).is_none());
}

/// A server of another release serves other fields of the same version; what was priced before stays so.
#[test]
fn a_list_tells_how_a_known_version_reads_now() {
    let mut ledger = Ledger::new(Version::V137);
    tell(&mut ledger, Object::Slice(slice("4", 1)));
    tell(&mut ledger, Object::Claim(claim(2)));
    relist(&mut ledger, Relisted::of(Kind::Slice, vec![Object::Slice(slice("6", 1))]));
    assert_eq!(ledger.pool(&slice("6", 1).pool).next(), Some(&slice("6", 1)));
    assert_eq!(charged(&ledger), "4");
}

/// A backup was restored: what was created since is gone, and what comes now is new although its version is lower.
#[test]
fn a_list_older_than_what_was_told_begins_anew() {
    let mut ledger = Ledger::new(Version::V137);
    relist(&mut ledger, Relisted { version: 900, ..Relisted::of(Kind::Slice, vec![Object::Slice(slice("4", 900))]) });
    relist(&mut ledger, Relisted { version: 500, ..Relisted::of(Kind::Slice, Vec::new()) });
    tell(&mut ledger, Object::Slice(slice("6", 510)));
    assert_eq!(ledger.pool(&slice("6", 510).pool).next(), Some(&slice("6", 510)));
}

/// Anyone may create pods that name a node which does not exist.
#[test]
fn the_account_of_an_unknown_node_is_closed_with_its_last_pod() {
    let mut ledger = Ledger::new(Version::V137);
    tell(&mut ledger, Object::Pod(pod(1)));
    let version = ledger.account("ghost").unwrap().version;
    let deleted = Deleted { kind: Kind::Pod, key: pod(1).key, stamp: Stamp { version: 2, ..pod(1).stamp } };
    ledger.apply(Event { at: 0, change: Change::Deleted(deleted) });
    assert!(ledger.accounts().is_empty());
    let mut replayed = replay(&started(&ledger)).unwrap().ledger;
    for ledger in [&mut ledger, &mut replayed] {
        tell(ledger, Object::Pod(pod(3)));
        assert!(ledger.account("ghost").unwrap().version > version, "versions only grow");
    }
    assert_same(&replayed, &ledger);
}

fn pod(version: u64) -> Pod {
    Pod {
        key: Key::new("default", "p"),
        stamp: Stamp { uid: format!("p-{version}").as_str().into(), version },
        node: Some("ghost".into()),
        claims: Vec::new(),
        listed: Vec::new(),
        needs: PodNeeds::default(),
    }
}
