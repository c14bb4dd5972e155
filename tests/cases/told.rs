//! A ledger that is told of one object after the other, as a watch would.

use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::holds::Reason;
use draguard::ledger::object::{Key, Kind, Object};
use draguard::ledger::state::Ledger;
use draguard::model::version::Version;
use serde_json::Value;

/// The ledger, and the last resource version.
pub struct Told {
    pub ledger: Ledger,
    version: u64,
}

impl Told {
    /// A ledger that was told of these objects.
    pub fn of(objects: &[Value]) -> Self {
        let mut told = Self { ledger: Ledger::new(Version::V137), version: 0 };
        for object in objects {
            told.applied(object);
        }
        told
    }

    /// An object was created or changed.
    pub fn applied(&mut self, object: &Value) {
        let object = self.read(object);
        self.ledger.apply(Event { at: 0, change: Change::Applied(object) });
    }

    /// A slice was stored that breaks a rule.
    pub fn quarantined(&mut self, slice: &Value, rule: &str) {
        let Object::Slice(mut slice) = self.read(slice) else { panic!("{slice} is no slice") };
        slice.faults = vec![rule.into()];
        self.ledger.apply(Event { at: 0, change: Change::Applied(Object::Slice(slice)) });
    }

    /// An object is gone.
    pub fn deleted(&mut self, object: &Value) {
        let object = self.read(object);
        let (kind, key, stamp) = (object.kind(), object.key().clone(), object.stamp().clone());
        self.ledger.apply(Event { at: 0, change: Change::Deleted(Deleted { kind, key, stamp }) });
    }

    fn read(&mut self, object: &Value) -> Object {
        self.version += 1;
        read(object, self.version)
    }

    /// What a claim is charged on node-a: resource, the pod's uid for overhead, and amount, in that order.
    pub fn charged(&self, claim: &str) -> Vec<String> {
        let Some(account) = self.ledger.account("node-a") else { return Vec::new() };
        let mine = account.contributions().iter().filter(|(entry, _)| entry.claim == Key::new("ns", claim));
        let words = mine.map(|(entry, line)| {
            let pod = entry.pod.as_deref().map(|pod| format!(" for {pod}")).unwrap_or_default();
            format!("{}{pod}: {}", entry.resource, line.amount)
        });
        words.collect()
    }

    /// True when something is held for this reason.
    pub fn holds(&self, reason: Reason) -> bool {
        self.ledger.holds().iter().any(|hold| hold.reason == reason)
    }
}

/// An object of this resource version, as the ledger keeps it.
pub fn read(object: &Value, version: u64) -> Object {
    let kind = match object["kind"].as_str().unwrap() {
        "Node" => Kind::Node,
        "ResourceSlice" => Kind::Slice,
        "ResourceClaim" => Kind::Claim,
        _ => Kind::Pod,
    };
    let mut object = object.clone();
    object["metadata"]["resourceVersion"] = Value::from(version.to_string());
    Object::read(kind, &object.to_string()).unwrap()
}
