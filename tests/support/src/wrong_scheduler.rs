//! A scheduler that is deliberately wrong: it has the rights of the real one and allocates what it should not.

use serde_json::{Value, json};

use crate::objects::{claim, cores_request, fixed_device, request, shared_device};
use crate::{Answer, Client, ControlPlane, Patch, Version, path_of};

/// Something that a scheduler must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// One exclusive device is allocated to two claims.
    Twice,
    /// Two devices take more cpu than their node has.
    Overcommit,
    /// A device is allocated that no slice has.
    Unknown,
    /// A share of a device consumes a negative amount.
    Negative,
}

impl Wrong {
    /// All of it.
    pub const ALL: [Wrong; 4] = [Wrong::Twice, Wrong::Overcommit, Wrong::Unknown, Wrong::Negative];
}

/// Where it does that: names of what is there already.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The namespace of the claims.
    pub namespace: String,
    /// A class of all devices of the driver.
    pub class: String,
    /// The driver.
    pub driver: String,
    /// The node, of 8 cpu, which also is the name of the pool.
    pub node: String,
}

impl Ground {
    /// The devices that the pool must have.
    pub fn devices(version: Version) -> Vec<Value> {
        let fixed = |name: &str, cpu: &str| fixed_device(version, name, &[("cpu", cpu)]);
        vec![fixed("once", "1"), fixed("big-0", "5"), fixed("big-1", "5"), shared_device(version, "shared", "4")]
    }
}

/// The scheduler.
pub struct WrongScheduler {
    admin: Client,
    scheduler: Client,
}

impl WrongScheduler {
    /// One with the rights of the shipped scheduler, and somebody who makes claims for it.
    pub fn of(cluster: &ControlPlane) -> WrongScheduler {
        WrongScheduler { admin: cluster.admin(), scheduler: cluster.scheduler() }
    }

    /// Does something wrong, and gives the answer to the write that makes it so. What has to be before it must succeed.
    ///
    /// # Panics
    /// When what is right is refused.
    pub fn commit(&self, wrong: Wrong, ground: &Ground) -> Answer {
        let result = |device: &str| self.result(ground, device);
        match wrong {
            Wrong::Twice => {
                self.allocate(ground, "twice-0", result("once")).must();
                self.allocate(ground, "twice-1", result("once"))
            }
            Wrong::Overcommit => {
                self.allocate(ground, "over-0", result("big-0")).must();
                self.allocate(ground, "over-1", result("big-1"))
            }
            Wrong::Unknown => self.allocate(ground, "unknown-0", result("nobody-has-it")),
            Wrong::Negative => {
                let mut share = result("shared");
                share["shareID"] = json!("7f2c4a4e-93a1-4b67-8d6f-1f0a4b6b6f10");
                share["consumedCapacity"] = json!({ "cores": "-4" });
                self.allocate(ground, "negative-0", share)
            }
        }
    }

    /// Undoes it: the allocations go, then the claims.
    pub fn undo(&self, wrong: Wrong, ground: &Ground) {
        for name in names(wrong) {
            let path = path_of(&claim(&ground.namespace, name, &[]));
            self.scheduler.patch(&format!("{path}/status"), Patch::Merge, &json!({ "status": { "allocation": null } }));
            self.admin.patch(&path, Patch::Merge, &json!({ "metadata": { "finalizers": null } }));
            self.admin.delete(&path);
        }
    }

    /// Makes a claim and allocates to it as the real scheduler does: the finalizer first, then the status.
    pub fn allocate(&self, ground: &Ground, name: &str, result: Value) -> Answer {
        let asked = match result["consumedCapacity"].is_null() {
            true => request("r", &ground.class),
            false => cores_request("r", &ground.class, "1"),
        };
        let mut made = self.admin.create(&claim(&ground.namespace, name, &[asked])).must();
        made["metadata"]["finalizers"] = json!(["resource.kubernetes.io/delete-protection"]);
        let mut held = self.scheduler.replace(&made).must();
        let field = json!({ "key": "metadata.name", "operator": "In", "values": [ground.node] });
        held["status"]["allocation"] = json!({
            "allocationTimestamp": "2026-01-01T00:00:00Z",
            "devices": { "results": [result] },
            "nodeSelector": { "nodeSelectorTerms": [{ "matchFields": [field] }] },
        });
        self.scheduler.replace_status(&held)
    }

    fn result(&self, ground: &Ground, device: &str) -> Value {
        json!({ "request": "r", "driver": ground.driver, "pool": ground.node, "device": device })
    }
}

fn names(wrong: Wrong) -> &'static [&'static str] {
    match wrong {
        Wrong::Twice => &["twice-0", "twice-1"],
        Wrong::Overcommit => &["over-0", "over-1"],
        Wrong::Unknown => &["unknown-0"],
        Wrong::Negative => &["negative-0"],
    }
}
