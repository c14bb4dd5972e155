//! What is written: the lines of the table.

use serde_json::{Value, json};

use super::claims::{SHARE_2, allocation, by_label, entry, local, ready, result};
use super::ground::{Ground, NETWORK};
use super::writers::Node;

/// One change of a claim's status.
pub struct Change {
    /// The claim, which is also the state before.
    pub claim: &'static str,
    /// What becomes of it.
    pub says: &'static str,
    /// Turns the claim before into the one written.
    pub make: fn(&mut Value, &Ground),
}

const fn of(claim: &'static str, says: &'static str, make: fn(&mut Value, &Ground)) -> Change {
    Change { claim, says, make }
}

/// All of them.
pub const CHANGES: &[Change] = &[
    of("fresh", "nothing changes", |_, _| {}),
    of("fresh", "allocate", |claim, ground| allocate(claim, ground, &[], &[])),
    of("fresh", "allocate by label", |claim, ground| allocate_by_label(claim, ground, false)),
    of("fresh", "allocate a device of the network", allocate_network),
    of("fresh", "allocate and reserve", |claim, ground| allocate(claim, ground, &[0], &[])),
    of("fresh", "allocate, with the gpu's entry", |claim, ground| allocate(claim, ground, &[], &[0])),
    of("fresh", "allocate, with the nic's entry", |claim, ground| allocate(claim, ground, &[], &[1])),
    of("fresh", "allocate and reserve, with both entries", |claim, ground| allocate(claim, ground, &[0], &[0, 1])),
    of("fresh", "allocate by label, with the gpu's entry", |claim, ground| allocate_by_label(claim, ground, true)),
    of("fresh", "reserve without an allocation", |claim, ground| reserve(claim, ground, &[0])),
    of("fresh", "an entry without an allocation", entry_alone),
    of("allocated", "nothing changes", |_, _| {}),
    of("allocated", "an annotation comes, which is no status", annotate),
    of("allocated", "empty lists are spelt out", spell_out),
    of("allocated", "clear the allocation", |claim, _| clear(claim, &["allocation"])),
    of("allocated", "allocate another device instead", reallocate),
    of("allocated", "allocate by label instead", |claim, ground| allocate_by_label(claim, ground, false)),
    of("allocated", "reserve for a pod", |claim, ground| reserve(claim, ground, &[0])),
    of("allocated", "reserve for two pods", |claim, ground| reserve(claim, ground, &[0, 1])),
    of("allocated", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("allocated", "the nic's entry comes", |claim, _| report(claim, &[1])),
    of("allocated", "both entries come", |claim, _| report(claim, &[0, 1])),
    of("allocated", "the gpu's entry comes, with a reservation", |claim, ground| {
        report(claim, &[0]);
        reserve(claim, ground, &[0]);
    }),
    of("allocated", "an entry of a device that is not allocated comes", |claim, _| {
        report(claim, &[0]);
        claim["status"]["devices"][0]["device"] = json!("allocated-1");
    }),
    of("reserved", "nothing changes", |_, _| {}),
    of("reserved", "a second pod is added", |claim, ground| reserve(claim, ground, &[0, 1])),
    of("reserved", "another pod takes its place", |claim, ground| reserve(claim, ground, &[1])),
    of("reserved", "the reservation goes", |claim, _| clear(claim, &["reservedFor"])),
    of("reserved", "reservation and allocation go", |claim, _| clear(claim, &["reservedFor", "allocation"])),
    of("reserved", "the allocation goes, the reservation stays", |claim, _| clear(claim, &["allocation"])),
    of("reserved", "the reservation goes, the gpu's entry comes", |claim, _| {
        clear(claim, &["reservedFor"]);
        report(claim, &[0]);
    }),
    of("crowded", "one reservation goes", |claim, ground| reserve(claim, ground, &[1])),
    of("crowded", "both reservations go", |claim, _| clear(claim, &["reservedFor"])),
    of("crowded", "the reservations change places", |claim, ground| reserve(claim, ground, &[1, 0])),
    of("reported", "nothing changes", |_, _| {}),
    of("reported", "the entries change places", |claim, _| swap_entries(claim)),
    of("reported", "the gpu's condition changes", |claim, _| turn(claim, 0)),
    of("reported", "the nic's condition changes", |claim, _| turn(claim, 1)),
    of("reported", "both conditions change", |claim, _| {
        turn(claim, 0);
        turn(claim, 1);
    }),
    of("reported", "the gpu's condition changes, and the places", |claim, _| {
        turn(claim, 0);
        swap_entries(claim);
    }),
    of("reported", "the time of the gpu's condition changes", |claim, _| {
        claim["status"]["devices"][0]["conditions"][0]["lastTransitionTime"] = json!("2026-02-02T00:00:00Z");
    }),
    of("reported", "the gpu's data comes", |claim, _| claim["status"]["devices"][0]["data"] = json!({ "a": 1 })),
    of("reported", "the gpu's network data comes", |claim, _| {
        claim["status"]["devices"][0]["networkData"] = json!({ "interfaceName": "eth1", "ips": ["10.1.2.3/24"] });
    }),
    of("reported", "the gpu's entry goes", |claim, _| forget(claim, 0)),
    of("reported", "the nic's entry goes", |claim, _| forget(claim, 1)),
    of("reported", "both entries go", |claim, _| clear(claim, &["devices"])),
    of("reported", "the reservation goes, the entries stay", |claim, _| clear(claim, &["reservedFor"])),
    of("reported", "all of it goes", |claim, _| clear(claim, &["allocation", "reservedFor", "devices"])),
    of("reported", "reservation and allocation go, the entries stay", |claim, _| {
        clear(claim, &["allocation", "reservedFor"]);
    }),
    of("reported", "reservation, allocation and the nic's entry go", |claim, _| {
        clear(claim, &["allocation", "reservedFor"]);
        forget(claim, 1);
    }),
    of("shared", "nothing changes", |_, _| {}),
    of("shared", "the first share's condition changes", |claim, _| turn(claim, 0)),
    of("shared", "the second share's entry comes", |claim, _| {
        let second = entry(&claim["status"]["allocation"]["devices"]["results"][1]);
        push(claim, second);
    }),
    of("shared", "the first share's entry becomes the second's", |claim, _| {
        claim["status"]["devices"][0]["shareID"] = json!(SHARE_2);
    }),
    of("shared", "the share's entry goes", |claim, _| clear(claim, &["devices"])),
    of("node-b", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("node-b", "clear the allocation", |claim, _| clear(claim, &["allocation"])),
    of("by-label", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("two-terms", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("name-and-label", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("not-node-b", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("network", "the gpu's entry comes", |claim, _| report(claim, &[0])),
    of("forged", "the gpu's entry comes", |claim, _| report(claim, &[0])),
];

fn allocate(claim: &mut Value, ground: &Ground, pods: &[usize], entries: &[usize]) {
    claim["status"]["allocation"] = local(ground, "fresh");
    if !pods.is_empty() {
        reserve(claim, ground, pods);
    }
    if !entries.is_empty() {
        report(claim, entries);
    }
}

fn allocate_by_label(claim: &mut Value, ground: &Ground, entry: bool) {
    let device = format!("{}-0", claim["metadata"]["name"].as_str().expect("a name"));
    let gpu = result("gpu", &ground.gpu, ground.node(Node::A), &device);
    claim["status"]["allocation"] = allocation(&[gpu], &by_label(ground));
    if entry {
        report(claim, &[0]);
    }
}

fn allocate_network(claim: &mut Value, ground: &Ground) {
    let gpu = result("gpu", &ground.gpu, NETWORK, "fresh-0");
    claim["status"]["allocation"] = allocation(&[gpu], &Value::Null);
}

fn reallocate(claim: &mut Value, _: &Ground) {
    claim["status"]["allocation"]["devices"]["results"][0]["device"] = json!("allocated-1");
}

fn reserve(claim: &mut Value, ground: &Ground, pods: &[usize]) {
    claim["status"]["reservedFor"] = pods.iter().map(|pod| ground.reservation(*pod)).collect();
}

/// Drivers tell of the devices that are allocated.
fn report(claim: &mut Value, results: &[usize]) {
    let all = &claim["status"]["allocation"]["devices"]["results"];
    let entries: Vec<Value> = results.iter().map(|nth| entry(&all[*nth])).collect();
    claim["status"]["devices"] = json!(entries);
}

fn entry_alone(claim: &mut Value, ground: &Ground) {
    let gpu = result("gpu", &ground.gpu, ground.node(Node::A), "fresh-0");
    claim["status"]["devices"] = json!([entry(&gpu)]);
}

fn clear(claim: &mut Value, fields: &[&str]) {
    let status = claim["status"].as_object_mut().expect("a status");
    status.retain(|field, _| !fields.contains(&field.as_str()));
}

fn annotate(claim: &mut Value, _: &Ground) {
    claim["metadata"]["annotations"] = json!({ "example.com/note": "seen" });
}

fn spell_out(claim: &mut Value, _: &Ground) {
    claim["status"]["reservedFor"] = json!([]);
    claim["status"]["devices"] = json!([]);
}

fn turn(claim: &mut Value, nth: usize) {
    claim["status"]["devices"][nth]["conditions"] = json!([ready("False")]);
}

fn entries(claim: &mut Value) -> &mut Vec<Value> {
    claim["status"]["devices"].as_array_mut().expect("entries")
}

fn swap_entries(claim: &mut Value) {
    entries(claim).reverse();
}

fn forget(claim: &mut Value, nth: usize) {
    entries(claim).remove(nth);
}

fn push(claim: &mut Value, entry: Value) {
    entries(claim).push(entry);
}
