//! The ledger may be behind what the scheduler knows: what it would refuse is read again first.

use std::collections::BTreeSet;

use draguard::guard::{Guard, Proof, Validated};
use draguard::ledger::book::Book;
use draguard::ledger::excerpt::Seen;
use draguard::ledger::object::Object;
use draguard::ledger::view::{Freshness, Ref};
use draguard::verdict::decision::Decision;
use draguard::wire::review;
use serde_json::{Value, json};

use crate::made::{allocates, claim, cpus, given, node, pod, result, share, slice, whole};
use crate::served::Ask;
use crate::told::{Told, read};

/// A guard whose ledger was told of these objects, and a request to it.
struct Doubt {
    guard: Guard,
    body: String,
}

impl Doubt {
    fn of(known: &[Value], ask: Ask) -> Self {
        let book = Book::of(Told::of(known).ledger, Freshness::Fresh);
        Self { guard: Guard { book: Some(book.into()), ..Guard::default() }, body: ask.body() }
    }

    fn validate(&self, proof: Proof<'_>) -> Validated {
        self.guard.validate(&review::read(self.body.as_bytes()).unwrap(), proof, 0)
    }

    /// What is to be read.
    fn wanted(&self) -> BTreeSet<Ref> {
        match self.validate(Proof::Wanted) {
            Validated::Doubtful(doubts) => doubts.refs,
            Validated::Decided(decision) => panic!("{decision:?}"),
        }
    }

    /// The decision where the API server has these objects.
    fn beside(&self, live: &[Value]) -> Decision {
        let objects: Vec<Object> = live.iter().map(|object| read(object, 99)).collect();
        let seen: Vec<Seen> = self.wanted().into_iter().map(|asked| found(asked, &objects)).collect();
        self.validate(Proof::Live(&seen)).decision().unwrap()
    }
}

fn found(asked: Ref, objects: &[Object]) -> Seen {
    let is_asked = |object: &&Object| match (&asked, object) {
        (Ref::Claim(key), Object::Claim(claim)) => claim.key == *key,
        (Ref::Pod(key), Object::Pod(pod)) => pod.key == *key,
        (Ref::Node(name), Object::Node(node)) => node.key.name == *name,
        (Ref::PodsOn(node), Object::Pod(pod)) => pod.node.as_ref() == Some(node),
        (Ref::Pool(pool), Object::Slice(slice)) => slice.pool == *pool,
        _ => false,
    };
    Seen { objects: objects.iter().filter(is_asked).cloned().collect(), asked }
}

fn refused(decision: &Decision) -> Vec<&'static str> {
    decision.rulings.iter().filter(|ruling| ruling.refuses()).map(|ruling| ruling.finding.rule.id).collect()
}

fn world(pod_cpu: &str) -> Vec<Value> {
    vec![
        node("node-a", "64"),
        slice("node-a", &json!([cpus("numa0", 0, "40"), cpus("numa1", 1, "40")])),
        given("holder", "node-a", &json!([share("numa0", "s1", "20")]), &["p0"]),
        pod("p0", Some("node-a"), pod_cpu, &["holder"]),
    ]
}

fn without(objects: &[Value], kind: &str) -> Vec<Value> {
    objects.iter().filter(|object| object["kind"] != kind).cloned().collect()
}

#[test]
fn a_share_that_was_released_a_moment_ago_is_free() {
    let known = world("1");
    let doubt = Doubt::of(&known, allocates(&given("c", "node-a", &json!([share("numa0", "s2", "21")]), &[])));
    assert_eq!(refused(&doubt.beside(&known)), ["DG305"]);
    let mut released = without(&known, "ResourceClaim");
    released.push(claim("holder", &json!({})));
    assert!(refused(&doubt.beside(&released)).is_empty());
    assert!(refused(&doubt.beside(&without(&known, "ResourceClaim"))).is_empty());
}

#[test]
fn a_node_that_was_left_a_moment_ago_has_room() {
    let known = world("20");
    let doubt = Doubt::of(&known, allocates(&given("c", "node-a", &json!([share("numa1", "s2", "30")]), &[])));
    assert_eq!(refused(&doubt.beside(&known)), ["DG307"]);
    assert!(refused(&doubt.beside(&without(&known, "Pod"))).is_empty());
    let mut larger = without(&known, "Node");
    larger.push(node("node-a", "70"));
    assert!(refused(&doubt.beside(&larger)).is_empty());
}

#[test]
fn a_pool_that_is_published_again_is_used() {
    let known = [node("node-a", "64")];
    let doubt = Doubt::of(&known, allocates(&given("c", "node-a", &json!([result("d")]), &[])));
    let published = slice("node-a", &json!([whole("d", "1")]));
    assert_eq!(refused(&doubt.beside(&known)), ["DG304"]);
    assert!(refused(&doubt.beside(&[known[0].clone(), published])).is_empty());
}

#[test]
fn what_cannot_be_read_is_held_and_not_denied() {
    let doubt = Doubt::of(&world("1"), allocates(&given("c", "node-a", &json!([share("numa0", "s2", "21")]), &[])));
    let decision = doubt.validate(Proof::Unread).decision().unwrap();
    assert_eq!(decision.refusal, Some((429, "TooManyRequests")));
}

/// A pod made from a template names its claim in its status only, and that a moment later.
#[test]
fn a_pod_that_does_not_name_its_claim_yet_is_not_gone() {
    let unnamed = |name| pod(name, None, "1", &[]);
    let reserved = |pods: &[&str]| given("c", "node-a", &json!([share("numa0", "s2", "1")]), pods);
    let held = reserved(&["p1", "p2"]);
    let mut known = world("1");
    known.extend([held.clone(), unnamed("p1"), unnamed("p2")]);
    let both = reserved(&["p1", "p2", "p3"]);
    let doubt = Doubt::of(&known, crate::made::changes(&held, &both));
    let decision = doubt.beside(&known);
    let said: Vec<&str> = decision.rulings.iter().map(|ruling| ruling.finding.rule.id).collect();
    assert_eq!(said, ["DG308"]);
}
