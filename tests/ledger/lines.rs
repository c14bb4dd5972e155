//! What is read of a text, and what is refused. Nothing that is refused is ever taken for an empty ledger.

use draguard::ledger::event::{Change, Event, Relisted};
use draguard::ledger::journal::{self, Refused, replay};
use draguard::ledger::object::{
    Claim, Device, DeviceKey, Given, Key, Kind, Mapped, Node, Object, Place, PoolKey, Rate, Selected, Slice, Stamp,
    Traits,
};
use draguard::ledger::requests;
use draguard::ledger::state::Ledger;
use draguard::model::quantity::Quantity;
use draguard::model::version::Version;

use super::stream::{assert_same, started};

const NODE: &str = r#"{"accepted":{"event":{"at":5,"applied":{"node":{"key":{"name":"a"},"stamp":{"uid":"u","version":7},"isReady":true,"allocatable":{}}}}}}"#;

fn empty() -> String {
    started(&Ledger::new(Version::V137))
}

fn refused(text: &str) -> (usize, Refused) {
    let broken = replay(text).unwrap_err();
    (broken.line, broken.refused)
}

#[test]
fn g10_a_newer_format_is_refused_and_never_an_empty_ledger() {
    let newer = empty().replace("\"format\":1", "\"format\":2");
    assert_eq!(refused(&newer), (1, Refused::Newer(2)));
    let said = replay(&newer).unwrap_err().to_string();
    assert_eq!(said, "line 1: written in format 2 by a newer draguard; this one reads format 1");
    // Whatever else a newer one may have put into its first line.
    let other = "{\"draguard\":\"ledger\",\"format\":9,\"checksum\":\"x\",\"kubernetes\":[\"v1.40\"]}\n";
    assert_eq!(refused(other), (1, Refused::Newer(9)));
}

#[test]
fn only_a_ledger_is_read() {
    for text in ["hello\n", "{}\n", "[]\n", "\n", "{\"draguard\":\"rules\",\"format\":1,\"kubernetes\":\"v1.37\"}\n"] {
        assert_eq!(refused(text), (1, Refused::NoLedger), "{text}");
    }
    assert_eq!(refused(&empty().replace("\"format\":1", "\"format\":0")), (1, Refused::Unknown(0)));
    assert_eq!(refused(&empty().replace("v1.37", "v1.99")), (1, Refused::Release("v1.99".to_owned())));
}

#[test]
fn a_torn_last_line_is_left_out_and_any_other_is_refused() {
    let whole = format!("{}{NODE}\n", empty());
    assert!(!replay(&whole).unwrap().is_torn);
    for cut in 2..NODE.len() {
        let replayed = replay(&whole[..whole.len() - cut]).unwrap();
        assert!(replayed.is_torn && replayed.events == 0, "{cut}");
    }
    // All but the line's end is there.
    assert_eq!(replay(whole.trim_end()).unwrap().events, 1);
    let nuls = format!("{whole}\0\0\0\0");
    assert!(replay(&nuls).unwrap().is_torn);
    let line = empty().lines().count() + 1;
    let (at, reason) = refused(&format!("{}{}\n{NODE}\n", empty(), &NODE[..40]));
    assert!(at == line && matches!(reason, Refused::Line(_)), "{at} {reason}");
    let (at, _) = refused(&format!("{}{}\n", empty(), &NODE[..40]));
    assert_eq!(at, line, "a line with an end was not torn");
}

#[test]
fn what_stops_inside_the_export_is_no_ledger() {
    let whole = empty();
    let end = whole.trim_end().rfind('\n').unwrap();
    for cut in (0..=end + 5).step_by(7) {
        assert_eq!(refused(&whole[..cut]).1, Refused::Short, "{}", &whole[..cut]);
    }
}

#[test]
fn lines_out_of_place_are_refused() {
    let listed = r#"{"listed":{"node":{"key":{"name":"a"},"stamp":{"uid":"u"},"isReady":true,"allocatable":{}}}}"#;
    assert!(matches!(refused(&format!("{}{listed}\n{NODE}\n", empty())).1, Refused::Misplaced(_)));
    let pods = r#"{"accepted":{"event":{"at":1,"relisted":{"kind":"pod","objects":[]}}}}"#;
    assert!(matches!(refused(&format!("{}{listed}\n{pods}\n", empty())).1, Refused::Misplaced(_)));
    let whole = empty().lines().last().unwrap().to_owned();
    assert!(matches!(refused(&format!("{}{whole}\n", empty())).1, Refused::Misplaced(_)));
    let prices = r#"{"priced":{"claim":{"name":"c"},"prices":{"results":[]}}}"#;
    assert!(matches!(refused(&empty().replace(&whole, prices)).1, Refused::Prices(_)));
    // A list whose end was cut off is not read in part.
    assert!(replay(&format!("{}{listed}\n", empty())).unwrap().is_torn);
}

#[test]
fn an_account_that_comes_out_otherwise_is_told() {
    let text = format!("{}{}\n", empty(), NODE.replace("}}}}}}", "}}}},\"nodes\":{\"a\":4}}}"));
    let mismatches = replay(&text).unwrap().mismatches;
    let line = text.lines().count();
    let said = format!("line {line}: the version of node a: 4 was written, it comes to 0");
    assert_eq!(mismatches.iter().map(ToString::to_string).collect::<Vec<_>>(), [said]);
}

/// The price first seen with an allocation stays, whatever the driver publishes later; an export knows it, a list does not.
#[test]
fn a_changed_mapping_reprices_nothing_and_survives_the_export() {
    let mut ledger = Ledger::new(Version::V137);
    tell(&mut ledger, Object::Slice(slice("4", 1)));
    tell(&mut ledger, Object::Claim(claim(2)));
    tell(&mut ledger, Object::Slice(slice("6", 3)));
    assert_eq!(charged(&ledger), "4");
    let replayed = replay(&started(&ledger)).unwrap().ledger;
    assert_eq!(charged(&replayed), "4");
    assert_same(&replayed, &ledger);
    let mut forgetful = Ledger::new(Version::V137);
    for (kind, object) in [(Kind::Slice, Object::Slice(slice("6", 3))), (Kind::Claim, Object::Claim(claim(2)))] {
        forgetful.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, vec![object])) });
    }
    assert_eq!(charged(&forgetful), "6");
}

/// Two nodes may have pools and devices of one name. Which of them is seen first does not matter.
#[test]
fn an_allocation_is_charged_for_the_device_of_its_own_node() {
    let other = Slice { key: Key::cluster("other"), place: Place::Node("b".into()), ..slice("7", 1) };
    let mut ledger = Ledger::new(Version::V137);
    tell(&mut ledger, Object::Slice(other));
    tell(&mut ledger, Object::Claim(claim(2)));
    assert!(ledger.account("b").is_none_or(|account| account.contributions().is_empty()));
    tell(&mut ledger, Object::Slice(slice("4", 3)));
    assert_eq!(charged(&ledger), "4");
}

/// A deletion that only a list told of is known after a restart too.
#[test]
fn a_list_that_only_proves_absence_is_written_down() {
    let mut ledger = Ledger::new(Version::V137);
    let event = Event { at: 0, change: Change::Relisted(Relisted::of(Kind::Claim, vec![Object::Claim(claim(9))])) };
    assert!(ledger.apply(event.clone()).is_new);
    assert!(!ledger.apply(event).is_new);
    let gone = Event { at: 0, change: Change::Relisted(Relisted::of(Kind::Claim, Vec::new())) };
    assert!(ledger.apply(gone).is_new);
    let mut replayed = replay(&journal::export(&ledger, 0).collect::<String>()).unwrap().ledger;
    tell(&mut replayed, Object::Claim(claim(8)));
    assert!(replayed.claim(&claim(8).key).is_none());
}

/// The form of the format: maps are maps, empty ones too.
#[test]
fn an_empty_map_is_written_as_one() {
    let node = Node {
        key: Key::cluster("a"),
        stamp: Stamp { uid: "a".into(), version: 1 },
        is_ready: true,
        allocatable: std::iter::empty().collect(),
        declared: None,
        labels: std::collections::BTreeMap::new(),
    };
    assert!(serde_json::to_string(&node).unwrap().contains(r#""allocatable":{}"#));
    let given = requests::Given { allocated: Some(requests::Amounts::new()), has_resources: false, actuated: None };
    assert_eq!(serde_json::to_string(&given).unwrap(), r#"{"allocated":{},"hasResources":false,"actuated":null}"#);
    let needs = serde_json::to_string(&requests::PodNeeds::default()).unwrap();
    assert!(needs.contains(r#""podLevel":{}"#) && needs.contains(r#""overhead":{}"#), "{needs}");
}

pub(super) fn tell(ledger: &mut Ledger, object: Object) {
    ledger.apply(Event { at: 0, change: Change::Applied(object) });
    assert_eq!(ledger.broken(), []);
}

pub(super) fn charged(ledger: &Ledger) -> String {
    ledger.account("a").unwrap().sums().charged.get("cpu").unwrap().to_string()
}

pub(super) fn slice(cpu: &str, version: u64) -> Slice {
    let rate = Some(Rate::Device(Quantity::parse(cpu).unwrap()));
    let mapped = Mapped { resource: "cpu".into(), schema: "v1.37".into(), rate, per_pod: None, per_container: None };
    let traits = Traits {
        place: None,
        zone: Some(0),
        is_shared: false,
        mapped: vec![mapped].into(),
        capacity: Vec::new().into(),
        consumes: Vec::new(),
        attributes: Vec::new(),
    };
    let device = Device { name: "dev-0".into(), traits: traits.into() };
    Slice {
        key: Key::cluster("slice"),
        stamp: Stamp { uid: "slice".into(), version },
        pool: PoolKey { driver: "d".into(), pool: "p".into() },
        generation: Some(1),
        count: Some(1),
        place: Place::Node("a".into()),
        faults: Vec::new(),
        devices: vec![device],
        counters: Vec::new(),
    }
}

pub(super) fn claim(version: u64) -> Claim {
    let key = DeviceKey { pool: slice("1", 1).pool, device: "dev-0".into() };
    let given = Given { request: "r".into(), key, share: None, is_admin: false, consumed: None };
    Claim {
        key: Key::new("default", "claim"),
        stamp: Stamp { uid: "claim".into(), version },
        is_leaving: false,
        given: Some(vec![given]),
        selected: Selected::Node("a".into()),
        reserved: Vec::new(),
        constraints: Vec::new(),
    }
}
