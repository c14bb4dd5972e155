//! One write of the table, and what came of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use draguard_testbed::{Answer, Client, Patch, path_of};
use serde_json::{Map, Value, json};

use super::changes::CHANGES;
use super::ground::Ground;
use super::table::{Cell, Table, Verb};
use super::writers::WRITERS;

/// Writers that are busy at once.
const AT_ONCE: usize = 8;

/// Has every writer do every write, without storing any; `read` makes a cell of each answer.
pub fn fill(ground: &Ground, admin: &Client, clients: &[Client], read: fn(&Answer) -> Cell) -> Table {
    let before: Vec<Value> = CHANGES.iter().map(|change| admin.again(&ground.claim(change.claim))).collect();
    let (next, table) = (AtomicUsize::new(0), Mutex::new(Table::default()));
    let work = || {
        loop {
            let writer = next.fetch_add(1, Ordering::Relaxed);
            let Some(client) = clients.get(writer) else { return };
            for verb in WRITERS[writer].verbs {
                for (change, before) in before.iter().enumerate() {
                    let answer = write(client, *verb, before, &after(before, ground, change));
                    table.lock().expect("the table").set(*verb, change, writer, read(&answer));
                }
            }
        }
    };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    table.into_inner().expect("the table")
}

fn after(before: &Value, ground: &Ground, change: usize) -> Value {
    let mut after = before.clone();
    (CHANGES[change].make)(&mut after, ground);
    after
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
