//! Area E, where there is a cluster to ask: the first judging says what is to be asked, the second has the answers.

use draguard::guard::{Doubts, Evidence, Guard, Proof, Validated};
use draguard::ledger::book::Book;
use draguard::ledger::excerpt::Seen;
use draguard::ledger::object::PoolKey;
use draguard::ledger::view::{Freshness, Ref};
use draguard::model::access::{Answer, Answers, Question, Rights};
use draguard::verdict::decision::Decision;
use draguard::wire::review;
use serde_json::{Value, json};

use crate::made::{claim, given, node, result, slice};
use crate::served::{Ask, ask};
use crate::told::{Told, read};

const SOMEONE: &str = "system:serviceaccount:ns:someone";
const CONTROLLER: &str = "system:serviceaccount:kube-system:resource-claim-controller";

/// A guard with a ledger of one node and its device, and a write.
struct Write {
    guard: Guard,
    body: String,
}

impl Write {
    fn of(ask: Ask) -> Self {
        Self::beside(&[node("node-a", "64"), slice("node-a", &json!([{"name": "dev"}]))], ask)
    }

    fn beside(known: &[Value], ask: Ask) -> Self {
        let book = Book::of(Told::of(known).ledger, Freshness::Fresh);
        Self { guard: Guard { book: Some(book.into()), ..Guard::default() }, body: ask.body() }
    }

    fn judge<'p>(&self, evidence: impl Into<Evidence<'p>>) -> Validated {
        self.guard.validate(&review::read(self.body.as_bytes()).unwrap(), evidence, 0)
    }

    fn doubts(&self) -> Doubts {
        match self.judge(Proof::Wanted) {
            Validated::Doubtful(doubts) => doubts,
            Validated::Decided(decision) => panic!("{decision:?}"),
        }
    }

    fn questions(&self) -> Vec<Question> {
        self.doubts().questions.into_iter().collect()
    }

    /// The decision without any question.
    fn unasked(&self) -> Decision {
        self.judge(Proof::Wanted).decision().expect("no question")
    }

    fn answered(&self, answer: Answer) -> Decision {
        let answers: Answers = self.questions().into_iter().map(|question| (question, answer)).collect();
        self.with(&answers)
    }

    fn with(&self, answers: &Answers) -> Decision {
        let evidence = Evidence { proof: Proof::Live(&[]), rights: Rights::Asked(answers) };
        self.judge(evidence).decision().unwrap()
    }
}

fn said(decision: &Decision) -> Vec<(&'static str, bool)> {
    decision.rulings.iter().map(|ruling| (ruling.finding.rule.id, ruling.refuses())).collect()
}

fn update(user: &str, old: Value, new: Value) -> Ask {
    ask("resourceclaims/status", user, Some(old), Some(new)).in_namespace("ns")
}

fn free() -> Value {
    claim("c", &json!({}))
}

fn taken() -> Value {
    given("c", "node-a", &json!([result("dev")]), &["p"])
}

fn reported() -> Value {
    let mut claim = taken();
    claim["status"]["devices"] = json!([{"driver": "dra.cpu", "pool": "node-a", "device": "dev"}]);
    claim
}

fn driver(is_associated: bool) -> Question {
    Question::Driver { name: "dra.cpu".to_owned(), namespace: "ns".to_owned(), is_associated }
}

#[test]
fn an_allocation_by_someone_is_asked_about() {
    let write = Write::of(update(SOMEONE, free(), taken()));
    assert_eq!(write.questions(), [Question::Binding]);
    assert_eq!(said(&write.answered(Answer::Allowed)), []);
    let denied = write.answered(Answer::Denied);
    assert_eq!((said(&denied), denied.refusal.unwrap().0), (vec![("DG401", true)], 403));
    assert!(denied.rulings[0].finding.to_string().contains("ClusterRoleBinding"));
    let unknown = write.answered(Answer::Unknown);
    assert_eq!((said(&unknown), unknown.refusal.unwrap().0), (vec![("DG401", true)], 429));
    assert_eq!(said(&write.with(&Answers::new())), [("DG401", true)]);
}

#[test]
fn a_release_by_someone_is_refused_only_by_a_clear_no() {
    let write = Write::of(update(SOMEONE, reported(), free()));
    assert_eq!(write.questions(), [Question::Binding]);
    assert_eq!(said(&write.answered(Answer::Allowed)), []);
    assert_eq!(said(&write.answered(Answer::Denied)), [("DG401", true)]);
    assert_eq!(said(&write.answered(Answer::Unknown)), [("DG401", false)]);
}

#[test]
fn known_writers_and_writes_that_change_nothing_are_never_asked_about() {
    for user in ["system:kube-scheduler", "admin"] {
        assert_eq!(said(&Write::of(update(user, free(), taken())).unasked()), []);
    }
    let mut unreserved = taken();
    unreserved["status"]["reservedFor"] = json!([]);
    for (old, new) in [(reported(), free()), (taken(), unreserved.clone()), (unreserved, taken())] {
        Write::of(update(CONTROLLER, old, new)).unasked();
    }
    assert_eq!(said(&Write::of(update(SOMEONE, reported(), reported())).unasked()), []);
    assert_eq!(said(&Write::of(update(SOMEONE, free(), free())).unasked()), []);
    assert_eq!(Write::of(update(CONTROLLER, free(), taken())).questions(), [Question::Binding]);
}

#[test]
fn a_binder_is_no_driver() {
    let write = Write::of(update("system:kube-scheduler", taken(), reported()));
    assert_eq!(write.questions(), [driver(false)]);
}

#[test]
fn an_entry_is_asked_about_as_the_api_server_would() {
    for (written, is_associated, rule) in [
        (update(SOMEONE, taken(), reported()).on_node("node-a"), true, "DG402"),
        (update(SOMEONE, taken(), reported()).on_node("node-b"), false, "DG403"),
        (update(SOMEONE, taken(), reported()), false, "DG403"),
        (update("tenant", taken(), reported()).on_node("node-a"), false, "DG403"),
        (update("system:node:node-a", taken(), reported()).on_node("node-a"), false, "DG403"),
        (update("system:serviceaccount:Ns:x", taken(), reported()).on_node("node-a"), false, "DG403"),
        (update(SOMEONE, reported(), taken()).on_node("node-a"), true, "DG402"),
    ] {
        let write = Write::of(written);
        assert_eq!(write.questions(), [driver(is_associated)]);
        assert_eq!(said(&write.answered(Answer::Allowed)), []);
        assert_eq!(said(&write.answered(Answer::Denied)), [(rule, true)]);
        let (code, unknown) = (write.answered(Answer::Denied).refusal.unwrap().0, write.answered(Answer::Unknown));
        assert_eq!((code, said(&unknown)), (403, vec![("DG402", false)]));
    }
}

#[test]
fn a_claim_of_no_single_node_needs_the_right_for_all() {
    let anywhere = |mut claim: Value| {
        claim["status"]["allocation"].as_object_mut().unwrap().remove("nodeSelector");
        claim
    };
    let write = Write::of(update(SOMEONE, anywhere(taken()), anywhere(reported())).on_node("node-a"));
    assert_eq!(write.questions(), [driver(false)]);
    let denied = write.answered(Answer::Denied);
    assert_eq!(said(&denied), [("DG402", true)]);
    assert!(denied.rulings[0].finding.to_string().contains("names no single node"));
}

#[test]
fn e08_all_that_is_missing_is_told_at_once() {
    let write = Write::of(update(SOMEONE, free(), reported()));
    assert_eq!(write.questions(), [Question::Binding, driver(false)]);
    assert_eq!(said(&write.answered(Answer::Denied)), [("DG401", true), ("DG403", true), ("DG404", true)]);
    let one = [(Question::Binding, Answer::Allowed), (driver(false), Answer::Denied)].into();
    assert_eq!(said(&write.with(&one)), [("DG403", true)]);
}

/// The API server stores no claim with as many: such a review is made up.
#[test]
fn a_write_of_many_drivers_entries_is_not_asked_about_without_end() {
    let names: Vec<String> = (0..40).map(|nth| format!("d{nth}.example.com")).collect();
    let of = |name: &String| json!({"request": "r", "driver": name, "pool": "node-a", "device": "dev"});
    let results: Vec<Value> = names.iter().map(of).collect();
    let old = given("c", "node-a", &json!(results[..32]), &["p"]);
    let mut new = old.clone();
    new["status"]["devices"] = json!(results);
    let write = Write::of(update(SOMEONE, old, new));
    assert_eq!(write.questions().len(), 32);
    let decision = write.answered(Answer::Allowed);
    let unasked = said(&decision).iter().filter(|one| **one == ("DG402", false)).count();
    assert_eq!(unasked, 8, "{decision:?}");
}

/// Beyond what the API server checks.
#[test]
fn an_associated_writer_writes_of_the_devices_of_its_node_only() {
    let mut elsewhere = slice("node-b", &json!([{"name": "dev"}]));
    elsewhere["spec"]["pool"]["name"] = json!("node-a");
    let known = [node("node-a", "64"), node("node-b", "64"), elsewhere.clone()];
    let write = Write::beside(&known, update(SOMEONE, taken(), reported()).on_node("node-a"));
    let pool = Ref::Pool(PoolKey { driver: "dra.cpu".into(), pool: "node-a".into() });
    assert_eq!(write.doubts().refs, [pool.clone()].into());
    let answers: Answers = [(driver(true), Answer::Allowed)].into();
    let read_again = |slices: &[&Value]| {
        let objects = slices.iter().map(|slice| read(slice, 99)).collect();
        let seen = [Seen { asked: pool.clone(), objects }];
        write.judge(Evidence { proof: Proof::Live(&seen), rights: Rights::Asked(&answers) }).decision().unwrap()
    };
    assert_eq!(said(&read_again(&[&elsewhere])), [("DG403", true)]);
    assert_eq!(said(&read_again(&[&slice("node-a", &json!([{"name": "dev"}]))])), []);
    let unread = Evidence { proof: Proof::Unread, rights: Rights::Asked(&answers) };
    assert_eq!(said(&write.judge(unread).decision().unwrap()), [("DG403", false)]);
    let untouched = Write::beside(&known, update(SOMEONE, reported(), reported()).on_node("node-a"));
    assert_eq!(said(&untouched.unasked()), []);
}
