//! A true watch history of a cluster, told to ledgers.

use std::collections::BTreeMap;

use draguard::ledger::event::{Change, Deleted, Event, Relisted};
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::state::Ledger;
use draguard::model::version::Version as Release;
use draguard_testbed::objects::recorded;
use draguard_testbed::{Client, Version};
use serde_json::Value;

/// Two ledgers of one cluster.
pub struct Books {
    admin: Client,
    version: Version,
    after: BTreeMap<Kind, u64>,
    told: i64,
    /// Believes what pods say of their claims. It hears of each kind by a watch of its own, one as late as the other.
    pub believing: Ledger,
    /// Is told what happened in the order in which it happened, but never what pods say of their claims.
    pub computing: Ledger,
    /// What the scheduler last wrote of a claim, by the claim's name; also where it took it back.
    pub written: BTreeMap<String, Value>,
}

/// One event of a watch.
struct Seen {
    kind: Kind,
    version: u64,
    is_deleted: bool,
    object: Object,
}

impl Books {
    /// Ledgers that begin with lists.
    pub fn begin(admin: &Client, version: Version) -> Books {
        let mut books = Books {
            admin: admin.clone(),
            version,
            after: BTreeMap::new(),
            told: 0,
            believing: Ledger::new(release(version)),
            computing: Ledger::new(release(version)),
            written: BTreeMap::new(),
        };
        for kind in Kind::ALL {
            let (objects, version) = listed(admin, kind);
            let unlisted = objects.iter().cloned().map(without_list).collect();
            books.after.insert(kind, version);
            books.computing.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, unlisted)) });
            books.believing.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, objects)) });
        }
        books
    }

    /// Forgets what the believing ledger knew, as a start without a journal does, and reads lists.
    pub fn restart(&mut self) {
        self.believing = fresh(&self.admin, self.version, Belief::Lists);
    }

    /// Takes in all that has happened since.
    pub fn catch_up(&mut self) {
        let mut seen = self.watch();
        self.told += 1;
        // Another kind is ahead each time.
        let ahead = usize::try_from(self.told).expect("a small number") % Kind::ALL.len();
        for nth in 0..Kind::ALL.len() {
            let kind = Kind::ALL[(ahead + nth) % Kind::ALL.len()];
            seen.iter().filter(|seen| seen.kind == kind).for_each(|seen| tell(&mut self.believing, seen, self.told));
        }
        seen.sort_by_key(|seen| seen.version);
        for mut seen in seen {
            seen.object = without_list(seen.object);
            tell(&mut self.computing, &seen, self.told);
        }
    }

    fn watch(&mut self) -> Vec<Seen> {
        let (admin, after) = (&self.admin, &self.after);
        let events: Vec<(Kind, Vec<Value>)> = std::thread::scope(|scope| {
            let watches = Kind::ALL.map(|kind| scope.spawn(move || (kind, admin.watch(path(kind), after[&kind]))));
            watches.into_iter().map(|watch| watch.join().expect("a watch")).collect()
        });
        let mut all = Vec::new();
        for (kind, events) in events {
            for event in events {
                let version = version_of(&event["object"]);
                self.after.insert(kind, version);
                self.remember(&event["object"]);
                let is_deleted = event["type"] == "DELETED";
                all.push(Seen { kind, version, is_deleted, object: read(kind, &event["object"]) });
            }
        }
        all
    }

    fn remember(&mut self, object: &Value) {
        for entry in recorded(object).as_array().into_iter().flatten() {
            let claim = entry["resourceClaimName"].as_str().expect("a claim");
            self.written.insert(claim.to_owned(), entry.clone());
        }
    }
}

/// Whether a ledger is told what pods say of their claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// Yes.
    Lists,
    /// No.
    Nothing,
}

/// A ledger from lists of the API alone.
pub fn fresh(admin: &Client, version: Version, belief: Belief) -> Ledger {
    let mut ledger = Ledger::new(release(version));
    for kind in Kind::ALL {
        let (mut objects, _) = listed(admin, kind);
        if belief == Belief::Nothing {
            objects = objects.into_iter().map(without_list).collect();
        }
        ledger.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, objects)) });
    }
    ledger
}

fn release(version: Version) -> Release {
    match version {
        Version::V1_36 => Release::V136,
        Version::V1_37 => Release::V137,
    }
}

/// All objects of a kind, and the version of the list.
fn listed(admin: &Client, kind: Kind) -> (Vec<Object>, u64) {
    let list = admin.get(path(kind)).must();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    (items.iter().map(|item| read(kind, item)).collect(), version_of(&list))
}

fn tell(ledger: &mut Ledger, seen: &Seen, at: i64) {
    let object = seen.object.clone();
    let (key, stamp) = (object.key().clone(), object.stamp().clone());
    let deleted = Change::Deleted(Deleted { kind: seen.kind, key, stamp });
    let change = if seen.is_deleted { deleted } else { Change::Applied(object) };
    ledger.apply(Event { at, change });
}

/// The object without what a pod says of its claims.
fn without_list(object: Object) -> Object {
    match object {
        Object::Pod(mut pod) => {
            pod.listed.clear();
            Object::Pod(pod)
        }
        other => other,
    }
}

fn read(kind: Kind, object: &Value) -> Object {
    Object::read(kind, &object.to_string()).expect("an object of the API server")
}

fn version_of(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str().expect("a resource version");
    text.parse().expect("a number")
}

fn path(kind: Kind) -> &'static str {
    match kind {
        Kind::Node => "/api/v1/nodes",
        Kind::Pod => "/api/v1/pods",
        Kind::Slice => "/apis/resource.k8s.io/v1/resourceslices",
        Kind::Claim => "/apis/resource.k8s.io/v1/resourceclaims",
    }
}
