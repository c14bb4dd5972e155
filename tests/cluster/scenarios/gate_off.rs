//! The feature's gate is off in the API server: drivers publish in vain, and are told so once.

use draguard_testbed::objects::{FEATURE, fixed_device};
use draguard_testbed::{ControlPlane, Options, Version};
use serde_json::json;

use super::guard::Guard;
use super::shown::{create, told};
use crate::bed::Bed;

pub fn run(version: Version) {
    let cluster = ControlPlane::start(&Options::new(version).gate(FEATURE, false));
    let bed = Bed::on(&cluster, "gate-off");
    bed.add_node();
    bed.add_class();
    let guard = Guard::before(&bed);
    let slice = |driver: &str, device: &str| {
        let mut slice = bed.slice(&[fixed_device(version, device, &[("cpu", "1")])]);
        slice["metadata"]["name"] = json!(format!("{driver}-{device}"));
        slice["spec"]["driver"] = json!(driver);
        slice["spec"]["pool"]["name"] = json!(device);
        slice
    };
    let kubectl = cluster.kubectl();
    for driver in ["first.example.com", "second.example.com"] {
        let finding = told("DG123", &["spec.devices"], "switch on DRANodeAllocatableResources");
        finding.warned(&create(&kubectl, &slice(driver, "dev-0")));
        let again = create(&kubectl, &slice(driver, "dev-1"));
        assert_eq!((again.code, again.stderr.as_str()), (0, ""), "{driver} is told once");
    }
    // The dry run by which the test bed saw that draguard is called does not count.
    assert_eq!(guard.metric("draguard_drivers_unmapped"), ["draguard_drivers_unmapped 2"]);
}
