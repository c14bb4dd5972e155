//! The recorded reviews of real control planes, one after the other beside a ledger that is told of each write, as a
//! watch would: what schedulers, kubelets and drivers write agrees with it.

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

const RULES: [&str; 9] = ["DG125", "DG201", "DG202", "DG204", "DG205", "DG406", "DG410", "DG411", "DG412"];

#[test]
fn rightful_writers_agree_with_the_ledger() {
    // On the nodes an administrator puts pods beside the one that uses the claim.
    for (folder, version, has_presets) in [
        ("v1.36", Version::V136, false),
        ("v1.37", Version::V137, false),
        ("node-v1.36", Version::V136, true),
        ("node-v1.37", Version::V137, true),
    ] {
        let book = Book::of(Ledger::new(version), Freshness::Fresh);
        let guard = Guard { book: Some(book.into()), ..Guard::default() };
        let (mut said, mut forged) = (Vec::new(), Vec::new());
        for (number, (name, body)) in fixtures(folder).into_iter().enumerate() {
            if name.contains("-mutate-") {
                continue;
            }
            said.extend(judge(&guard, &body).into_iter().map(|rule| (name.clone(), rule)));
            forged.extend(forge(&body).into_iter().flat_map(|body| judge(&guard, body.as_bytes())));
            tell(&guard, &body, number);
        }
        let is_preset = |(name, rule): &(String, &str)| name.ends_with("admin-create-pods") && *rule == "DG411";
        assert!(said.is_empty() != has_presets && said.iter().all(is_preset), "{folder}: {said:#?}");
        assert!(["DG406", "DG410"].iter().all(|rule| forged.contains(rule)), "{folder}: {forged:?}");
    }
}

/// The rules that speak of a write.
fn judge(guard: &Guard, body: &[u8]) -> Vec<&'static str> {
    let decision = guard.validate(&review::read(body).unwrap(), Proof::Ledger, 0).decision().unwrap();
    decision.rulings.iter().map(|one| one.finding.rule.id).filter(|rule| RULES.contains(rule)).collect()
}

/// The same write with other amounts, or to another node: what agrees is really compared.
fn forge(body: &[u8]) -> Option<String> {
    let mut review: Value = serde_json::from_slice(body).unwrap();
    let object = &mut review["request"]["object"];
    if object["kind"] == "Binding" {
        object["target"]["name"] = Value::from("elsewhere");
        return Some(review.to_string());
    }
    let list = object["status"]["nodeAllocatableResourceClaimStatuses"].as_array_mut()?;
    let entry = list.first_mut()?.as_object_mut()?;
    if let Some(resources) = entry.get_mut("resources") {
        resources["cpu"] = Value::from("61");
    }
    if let Some(mapping) = entry.get_mut("mapping") {
        mapping[0]["quantity"] = Value::from("61");
    }
    Some(review.to_string())
}

/// What a watch would show of the write.
fn tell(guard: &Guard, body: &[u8], number: usize) {
    let review: Value = serde_json::from_slice(body).unwrap();
    let request = &review["request"];
    let kind = match (request["resource"]["resource"].as_str().unwrap(), request["subResource"].as_str()) {
        ("resourceslices", _) => Kind::Slice,
        ("resourceclaims", _) => Kind::Claim,
        ("pods", None | Some("status")) => Kind::Pod,
        _ => return,
    };
    let read = |object: &Value| {
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = Value::from((number + 1).to_string());
        Object::read(kind, &object.to_string()).unwrap()
    };
    let change = if request["dryRun"] == true {
        return;
    } else if request["operation"] != "DELETE" {
        Change::Applied(read(&request["object"]))
    } else if kind == Kind::Pod && request["options"]["gracePeriodSeconds"] != 0 {
        return;
    } else {
        let gone = read(&request["oldObject"]);
        Change::Deleted(Deleted { kind, key: gone.key().clone(), stamp: gone.stamp().clone() })
    };
    guard.book.as_ref().unwrap().apply(Event { at: 0, change });
}
