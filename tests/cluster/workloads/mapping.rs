//! What devices take of their node, in the words of either version.

use draguard_testbed::Version;
use serde_json::{Value, json};

use super::random::Random;

/// Odd amounts among plain ones: the scheduler rounds up what a pod takes, once for each pod.
const CPU: &[&str] = &["100m", "250m", "500m", "1", "1500m", "33m", "1200500u", "2"];
const MEMORY: &[&str] = &["64Mi", "100M", "1e8", "7777777", "1Gi", "100000500m", "1536Ki"];
const PAGES: &[&str] = &["2Mi", "4Mi"];
const FACTORS: &[&str] = &["1", "500m", "250m", "2", "1.5"];

/// The capacities of shared devices, and their full amounts.
pub const CAPACITY: [(&str, &str); 2] = [("cores", "24"), ("bytes", "24Gi")];

/// What a whole device takes, of one to three resources.
pub fn whole(random: &mut Random, version: Version) -> Value {
    let mut map = json!({ "cpu": spelled_whole(version, random.pick(CPU)) });
    if random.chance(50) {
        map["memory"] = spelled_whole(version, random.pick(MEMORY));
    }
    if random.chance(15) {
        map["hugepages-2Mi"] = spelled_whole(version, random.pick(PAGES));
    }
    // The server of v1.36 takes an empty mapping for `1`, and also takes ephemeral storage.
    if version == Version::V1_36 && random.chance(10) {
        map["memory"] = json!({});
        map["ephemeral-storage"] = spelled_whole(version, "1Gi");
    }
    map
}

/// What the shares of a device take.
pub fn by_capacity(random: &mut Random, version: Version) -> Value {
    let mut map = json!({ "cpu": spelled_share(version, "cores", random.pick(FACTORS)) });
    match random.below(3) {
        0 => map["memory"] = spelled_share(version, "bytes", "1"),
        1 => map["memory"] = spelled_whole(version, random.pick(MEMORY)),
        _ => {}
    }
    map
}

/// What pods take on top, with or without something for the device itself. On v1.36 only the latter can be said.
pub fn on_top(random: &mut Random, version: Version, with_mapping: bool) -> Value {
    if version == Version::V1_36 {
        return if with_mapping { whole(random, version) } else { Value::Null };
    }
    let mut map = if with_mapping { whole(random, version) } else { json!({}) };
    if with_mapping && random.chance(30) {
        return map;
    }
    map["cpu"]["overhead"] = overhead(random, CPU);
    if random.chance(50) {
        map["memory"]["overhead"] = overhead(random, MEMORY);
    }
    map
}

fn overhead(random: &mut Random, amounts: &[&str]) -> Value {
    let (once, each) = (random.pick(amounts), random.pick(amounts));
    match random.below(3) {
        0 => json!({ "perPod": once }),
        1 => json!({ "perContainer": each }),
        _ => json!({ "perPod": once, "perContainer": each }),
    }
}

fn spelled_whole(version: Version, amount: &str) -> Value {
    match version {
        Version::V1_36 => json!({ "allocationMultiplier": amount }),
        Version::V1_37 => json!({ "mapping": { "deviceMultiplier": amount } }),
    }
}

fn spelled_share(version: Version, key: &str, factor: &str) -> Value {
    match version {
        Version::V1_36 => json!({ "capacityKey": key, "allocationMultiplier": factor }),
        Version::V1_37 => json!({ "mapping": { "capacityKey": key, "capacityMultiplier": factor } }),
    }
}
