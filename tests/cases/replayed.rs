//! The recorded reviews of real control planes, one after the other beside a ledger that is told of each write that was
//! stored, as a watch would: what rightful writers did passes.

use draguard::guard::{Guard, Proof};
use draguard::ledger::book::Book;
use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::state::Ledger;
use draguard::ledger::view::Freshness;
use draguard::model::version::Version;
use draguard::wire::review;
use serde_json::Value;

use crate::common::fixtures;
use crate::made;
use crate::told::read;

/// The rules that need the ledger.
const RULES: std::ops::RangeInclusive<&str> = "DG303"..="DG320";

/// Folder, story and rule. In story 34 an exclusive device is given twice. In node-v1.36 pods are created by hand with
/// spec.nodeName and the claim of another pod that runs, and the claim controller lets them in, with a warning: D04.
const SAID: &[(&str, &str, &str)] =
    &[("v1.36", "34", "DG303"), ("v1.37", "34", "DG303"), ("node-v1.36", "", "DG308"), ("node-v1.37", "", "DG308")];

#[test]
fn nothing_that_rightful_writers_did_is_refused() {
    let mut said = Vec::new();
    for (folder, version) in [
        ("v1.36", Version::V136),
        ("v1.37", Version::V137),
        ("node-v1.36", Version::V136),
        ("node-v1.37", Version::V137),
    ] {
        let mut cluster = Replay::of(version);
        let mut allocated = 0;
        for (name, body) in fixtures(folder).into_iter().filter(|(name, _)| !name.contains("-mutate-")) {
            // What a node does has no numbered stories.
            let story = name.split('-').next().filter(|_| !folder.starts_with("node")).unwrap_or_default().to_owned();
            let found = cluster.judge(&body);
            said.extend(found.into_iter().map(|(rule, text)| (folder, story.clone(), rule, text)));
            allocated += u32::from(cluster.tell(&body));
        }
        assert!(allocated >= 2, "{folder}: {allocated} allocations");
    }
    let mut rules: Vec<_> = said.iter().map(|(folder, story, rule, _)| (*folder, story.as_str(), *rule)).collect();
    rules.dedup();
    assert_eq!(rules, SAID, "{said:#?}");
}

struct Replay {
    guard: Guard,
    version: u64,
}

impl Replay {
    fn of(version: Version) -> Self {
        let book = Book::of(Ledger::new(version), Freshness::Fresh);
        let mut replay = Self { guard: Guard { book: Some(book.into()), ..Guard::default() }, version: 0 };
        for name in ["node-a", "node-b"] {
            replay.apply(&made::node(name, "62"));
        }
        replay
    }

    /// What the rules of the ledger refuse, and what they say.
    fn judge(&self, body: &[u8]) -> Vec<(&'static str, String)> {
        let request = review::read(body).unwrap();
        let decision = self.guard.validate(&request, Proof::Ledger, 0).decision().unwrap();
        let mine = decision.rulings.iter().filter(|ruling| {
            let id = ruling.finding.rule.id;
            RULES.contains(&id) || ["DG502", "DG503", "DG603", "DG604"].contains(&id)
        });
        mine.map(|ruling| (ruling.finding.rule.id, ruling.finding.to_string())).collect()
    }

    /// True when the write allocated.
    fn tell(&mut self, body: &[u8]) -> bool {
        let review: Value = serde_json::from_slice(body).unwrap();
        let request = &review["request"];
        if request["dryRun"] == true {
            return false;
        }
        let kind = match request["resource"]["resource"].as_str().unwrap() {
            "resourceslices" => Kind::Slice,
            "resourceclaims" => Kind::Claim,
            "pods" if request["subResource"] == "binding" => return false,
            "pods" => Kind::Pod,
            _ => return false,
        };
        if request["operation"] != "DELETE" {
            self.apply(&request["object"]);
        } else if kind != Kind::Pod || is_over(request) {
            self.delete(&request["oldObject"]);
        }
        let allocation = |side: &str| !request[side]["status"]["allocation"].is_null();
        kind == Kind::Claim && allocation("object") && !allocation("oldObject")
    }

    fn apply(&mut self, object: &Value) {
        let object = self.read(object);
        self.event(Change::Applied(object));
    }

    fn delete(&mut self, object: &Value) {
        let object = self.read(object);
        let (kind, key, stamp) = (object.kind(), object.key().clone(), object.stamp().clone());
        self.event(Change::Deleted(Deleted { kind, key, stamp }));
    }

    fn event(&self, change: Change) {
        self.guard.book.as_ref().unwrap().apply(Event { at: 0, change });
    }

    fn read(&mut self, object: &Value) -> Object {
        self.version += 1;
        read(object, self.version)
    }
}

/// A deletion with a grace period only marks the pod.
fn is_over(request: &Value) -> bool {
    request["options"]["gracePeriodSeconds"] == 0
}
