//! The same table where the server's gate is off and draguard stands in front: it refuses what the gate refuses, by the
//! rules that say why, and nothing else, except where one of the differences here says so.

use std::collections::BTreeSet;

use draguard_testbed::{Answer, ControlPlane, Options, Version};
use libtest_mimic::Failed;

use super::changes::CHANGES;
use super::ground::Ground;
use super::table::{Cell, Place, Table, VERBS, sentence};
use super::write::Writes;
use super::writers::{CLAIM_CONTROLLER, MANAGER, Node, WRITERS, Who};
use super::{GATE, admit, of_server, stored};
use crate::bed::Bed;
use crate::scenarios::guard::Guard;

/// Tries of a write until it is believed that draguard judges otherwise.
const TRIES: usize = 3;

/// Beside the letters of the server: another node's device, which is no right that is missing.
const FOREIGN: char = 'F';

/// Where draguard and the gate differ.
struct Difference {
    says: &'static str,
    applies: fn(Place) -> bool,
    /// A letter that draguard adds to the gate's, or leaves out.
    letter: char,
    adds: bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        says: "stricter: the device is published by another node than its writer's, whatever the allocation says",
        applies: |(_, change, writer)| CHANGES[change].claim == "forged" && WRITERS[writer].is_on(Node::A),
        letter: FOREIGN,
        adds: true,
    },
    Difference {
        says: "stricter: the claim controller releases and reserves; where the gate is off, its role lacks the right to bind",
        applies: |(_, change, writer)| is_user(writer, CLAIM_CONTROLLER) && allocates(change),
        letter: 'B',
        adds: true,
    },
    Difference {
        says: "laxer: where controllers share the account of kube-controller-manager, it releases and reserves",
        applies: |(_, change, writer)| is_user(writer, MANAGER) && !allocates(change),
        letter: 'B',
        adds: false,
    },
];

/// Whether draguard, as shipped, judges as the gate of the same version would.
pub fn check(version: Version) -> Result<(), Failed> {
    let cluster = ControlPlane::start(&Options::new(version).api_only().api_gate(GATE, false));
    let bed = Bed::on(&cluster, "status_table");
    bed.add_node();
    let ground = Ground::lay(&bed);
    let _guard = Guard::before(&bed);
    let clients = admit::admit(&bed, &ground);
    let (gate, writes) = (stored(), Writes::new(&ground, &bed.admin, &clients));
    let seen = writes.fill(of_guard);
    let doubtful = seen.cells().filter(|(place, seen)| unlike(&gate, *place, seen).is_some());
    let unlike: Vec<String> = doubtful.filter_map(|(place, _)| again(&writes, &gate, place)).collect();
    match unlike.is_empty() {
        true => Ok(()),
        false => Err(format!("{} of {}:\n{}", unlike.len(), seen.cells().count(), unlike.join("\n")).into()),
    }
}

/// On a slow machine a webhook's time may run out, and an answer about rights come too late for a write.
fn again(writes: &Writes, gate: &Table, place: Place) -> Option<String> {
    let tries = (0..TRIES).map(|_| writes.answer(place)).map(|answer| unlike(gate, place, &of_guard(&answer)));
    tries.collect::<Option<Vec<String>>>()?.pop()
}

/// The rules that refuse, or a letter of the server's.
fn of_guard(answer: &Answer) -> Cell {
    let text = answer.message();
    let rules: BTreeSet<&str> = text.match_indices("DG").filter_map(|(at, _)| text.get(at..at + 5)).collect();
    match rules.is_empty() {
        true => of_server(answer),
        false => rules.into_iter().collect::<Vec<_>>().join(" "),
    }
}

fn unlike(gate: &Table, place: Place, seen: &str) -> Option<String> {
    let cell = least(gate, place);
    let expected = if cell.ends_with('x') { "x".to_owned() } else { rules(cell, place) };
    let differs = expected != seen;
    let named: Vec<&str> = differences(place).map(|one| one.says).collect();
    let named = named.join("; ");
    differs.then(|| format!("{}: {seen}, not {expected}; the gate says {cell}; {named}", sentence(place)))
}

/// What the gate says for the verb that the writer may use: a review does not tell patches from updates, so that the
/// right for one of them counts for both.
fn least(gate: &Table, (_, change, writer): Place) -> &str {
    let cells = VERBS.iter().map(|verb| gate.at((*verb, change, writer))).filter(|cell| !cell.is_empty());
    cells.min_by_key(|cell| cell.trim_matches('.').len()).unwrap_or_default()
}

/// One for each right that is missing, and one more where several are.
fn rules(cell: &str, place: Place) -> String {
    let mut letters: Vec<char> = cell.chars().filter(char::is_ascii_uppercase).collect();
    for Difference { letter, adds, .. } in differences(place) {
        letters.retain(|one| one != letter);
        letters.extend(adds.then_some(*letter));
    }
    let mut rules: BTreeSet<&str> = letters.iter().map(|letter| rule(*letter, place)).collect();
    let rights = letters.iter().filter(|letter| **letter != FOREIGN);
    rules.extend((rights.count() > 1).then_some("DG404"));
    if rules.is_empty() { ".".to_owned() } else { rules.into_iter().collect::<Vec<_>>().join(" ") }
}

fn differences(place: Place) -> impl Iterator<Item = &'static Difference> {
    DIFFERENCES.iter().filter(move |difference| (difference.applies)(place))
}

/// Who is not on the claim's node is told so, if there is such a node.
fn rule(letter: char, (_, change, _): Place) -> &'static str {
    match letter {
        'B' => "DG401",
        FOREIGN => "DG403",
        'N' if names_a_node(change) => "DG403",
        _ => "DG402",
    }
}

fn names_a_node(change: usize) -> bool {
    let vague = ["by-label", "two-terms", "name-and-label", "not-node-b", "network"];
    !vague.contains(&CHANGES[change].claim) && !CHANGES[change].says.contains("by label")
}

fn allocates(change: usize) -> bool {
    CHANGES[change].says.starts_with("allocate")
}

fn is_user(writer: usize, name: &str) -> bool {
    matches!(WRITERS[writer].who, Who::User(user, ..) if user == name)
}
