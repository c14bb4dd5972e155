//! One write of the table, and what came of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use draguard_testbed::{Answer, Client, Patch, path_of};
use serde_json::{Map, Value, json};

use super::changes::CHANGES;
use super::ground::Ground;
use super::table::{Cell, Place, Table, Verb};
use super::writers::{WRITERS, Writer};

/// Writers that are busy at once.
const AT_ONCE: usize = 8;

/// All writers, and all claims before anybody writes.
pub struct Writes<'a> {
    ground: &'a Ground,
    clients: &'a [Client],
    before: Vec<Value>,
}

impl<'a> Writes<'a> {
    /// Reads the claims.
    pub fn new(ground: &'a Ground, admin: &Client, clients: &'a [Client]) -> Writes<'a> {
        let before = CHANGES.iter().map(|change| admin.again(&ground.claim(change.claim))).collect();
        Writes { ground, clients, before }
    }

    /// Has every writer do every write, without storing any; `read` makes a cell of each answer.
    pub fn fill(&self, read: fn(&Answer) -> Cell) -> Table {
        let (next, table) = (AtomicUsize::new(0), Mutex::new(Table::default()));
        let work = || {
            loop {
                let writer = next.fetch_add(1, Ordering::Relaxed);
                let Some(Writer { verbs, .. }) = WRITERS.get(writer) else { return };
                for place in verbs.iter().flat_map(|verb| (0..CHANGES.len()).map(|change| (*verb, change, writer))) {
                    let cell = read(&self.answer(place));
                    table.lock().expect("the table").set(place, cell);
                }
            }
        };
        std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
        table.into_inner().expect("the table")
    }

    /// Does one write, without storing it.
    pub fn answer(&self, (verb, change, writer): Place) -> Answer {
        let before = &self.before[change];
        let mut after = before.clone();
        (CHANGES[change].make)(&mut after, self.ground);
        write(&self.clients[writer], verb, before, &after)
    }
}

fn write(client: &Client, verb: Verb, before: &Value, after: &Value) -> Answer {
    let path = path_of(before) + "/status?dryRun=All";
    match verb {
        Verb::Put => client.put(&path, after),
        Verb::Patch => {
            let metadata = json!({ "annotations": after["metadata"]["annotations"] });
            let patch = json!({ "metadata": metadata, "status": difference(&before["status"], &after["status"]) });
            client.patch(&path, Patch::Merge, &patch)
        }
    }
}

/// The merge patch that turns one value into another.
fn difference(before: &Value, after: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return after.clone() };
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter(|(key, value)| before.get(*key) != Some(*value));
    let changed = changed.map(|(key, value)| (key.clone(), difference(before.get(key).unwrap_or(&Value::Null), value)));
    Value::Object(gone.chain(changed).collect::<Map<String, Value>>())
}
