//! Stories 01 to 13, 60 and 61: slices.

use draguard_testbed::objects::{self, device, fixed_device};
use draguard_testbed::{Patch, Version, path_of, wait_for};
use serde_json::{Value, json};

use crate::bed::SOON;
use crate::recorder::stage::Stage;

/// Drivers publish, and others write what they should not.
pub fn play(stage: &mut Stage) {
    let version = stage.version;
    stage.story("01-driver-publishes-cpu", |s| drop(create(s, &s.cpu_driver, &cpu_slice(version))));
    stage.story("02-driver-publishes-gpu", |s| drop(create(s, &s.gpu_driver, &gpu_slice(version))));
    stage.story("03-driver-publishes-128-devices", |s| drop(create(s, &s.cpu_driver_b, &dense_slice(version))));
    stage.story("04-driver-updates-generation", |s| {
        let mut slice = s.admin.again(&gpu_slice(version));
        slice["spec"]["pool"]["generation"] = json!(2);
        slice["spec"]["devices"][3]["attributes"]["model"] = json!({ "string": "H200" });
        s.gpu_driver.replace(&slice).must();
    });
    stage.story("05-driver-writes-other-node", |s| {
        let slice = slice("evil", "cpu.example.com", "node-b", "evil", &[device("x")]);
        s.cpu_driver.create(&slice).must();
    });
    stage.story("06-kubelet-publishes", |s| {
        let slice = slice("node-a-kubelet", "kubelet.example.com", "node-a", "kubelet", &[device("k0")]);
        s.kubelet.create(&slice).must();
    });
    play_clients(stage);
}

fn play_clients(stage: &mut Stage) {
    let version = stage.version;
    let one = move |amounts: &[(&str, &str)]| fixed_device(version, "d", amounts);
    stage.story("07-v1beta1-client-converted", |s| drop(create(s, &s.admin, &old_slice(version))));
    stage.story("08-dry-run", |s| {
        let slice = slice("dry", "cpu.example.com", "node-a", "dry", &[device("d")]);
        s.admin.post("/apis/resource.k8s.io/v1/resourceslices?dryRun=All", &slice).must();
    });
    stage.story("09-server-side-apply", |s| {
        let slice = slice("ssa", "cpu.example.com", "node-a", "ssa", &[one(&[("cpu", "1")])]);
        s.admin.patch(&path_of(&slice), Patch::Apply, &slice).must();
    });
    stage.story("10-upstream-accepts-wrong-units", |s| {
        let device = one(&[("cpu", "2Gi"), ("memory", "400m")]);
        create(s, &s.admin, &slice("bad-units", "cpu.example.com", "node-a", "bad", &[device]));
    });
    stage.story("12-shape-of-the-other-version-is-dropped", |s| {
        let other = if version == Version::V1_36 { Version::V1_37 } else { Version::V1_36 };
        let device = fixed_device(other, "d", &[("cpu", "1")]);
        create(s, &s.admin, &slice("other-shape", "cpu.example.com", "node-a", "other", &[device]));
    });
    stage.quietly(|s| {
        let device = one(&[("hugepages-bad", "1")]);
        create(s, &s.admin, &slice("bad-name", "cpu.example.com", "node-a", "bad-name", &[device]));
    });
    stage.story("13-slice-deleted", |s| {
        for name in ["bad-units", "bad-name", "ssa", "other-shape", "old-client"] {
            s.admin.delete(&format!("/apis/resource.k8s.io/v1/resourceslices/{name}")).must();
        }
    });
}

/// The kubelet starts anew, and after it the driver.
pub fn play_the_end(stage: &mut Stage) {
    let version = stage.version;
    stage.story("60-kubelet-wipes-its-slices", |s| {
        let path = "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dnode-a";
        s.kubelet.delete(path).must();
    });
    stage.story("61-driver-republishes-generation-1", |s| {
        let mut slice = gpu_slice(version);
        slice["metadata"]["name"] = json!("node-a-gpu-n");
        create(s, &s.gpu_driver, &slice);
    });
}

/// Creates a slice, again while the server has not noticed its node; such tries are not reviewed.
fn create(_: &Stage, client: &draguard_testbed::Client, slice: &Value) -> Value {
    wait_for("the slice to be stored", SOON, || client.create(slice).result())
}

fn slice(name: &str, driver: &str, node: &str, pool: &str, devices: &[Value]) -> Value {
    let mut slice = objects::slice(driver, node, devices);
    slice["metadata"]["name"] = json!(name);
    slice["spec"]["pool"]["name"] = json!(pool);
    slice
}

fn cpu_slice(version: Version) -> Value {
    let zone = |zone: u32| {
        let mut device = objects::shared_device(version, &format!("numa{zone}"), "62");
        let range = json!({ "min": "1", "step": "1" });
        device["capacity"]["cores"]["requestPolicy"] = json!({ "default": "1", "validRange": range });
        if version == Version::V1_37 {
            let overhead = json!({ "perPod": "100m", "perContainer": "10m" });
            device[version.slice_field()]["cpu"]["overhead"] = overhead;
        }
        device["attributes"] =
            json!({ "cpu.example.com/numCPUs": { "int": 62 }, "resource.kubernetes.io/numaNode": { "int": zone } });
        device
    };
    slice("node-a-cpu", "cpu.example.com", "node-a", "node-a", &[zone(0), zone(1)])
}

fn gpu_slice(version: Version) -> Value {
    let gpu = |number: u32| {
        let amounts = [("cpu", "2"), ("memory", "4Gi"), ("hugepages-2Mi", "512Mi")];
        let mut device = fixed_device(version, &format!("gpu-{number}"), &amounts);
        device["attributes"] =
            json!({ "model": { "string": "H100" }, "resource.kubernetes.io/numaNode": { "int": number / 2 } });
        device["capacity"] = json!({ "memory": { "value": "80Gi" } });
        device
    };
    slice("node-a-gpu", "gpu.example.com", "node-a", "node-a", &[gpu(0), gpu(1), gpu(2), gpu(3)])
}

fn dense_slice(version: Version) -> Value {
    let cpu = |number: u32| {
        let mut device = fixed_device(version, &format!("cpu{number:03}"), &[("cpu", "1")]);
        device["attributes"] = json!({
            "cacheL3ID": { "int": number / 16 }, "coreID": { "int": number / 2 }, "cpuID": { "int": number },
            "coreType": { "string": "standard" }, "smtEnabled": { "bool": true },
            "socketID": { "int": number / 64 }, "resource.kubernetes.io/numaNode": { "int": number / 64 },
        });
        device
    };
    let devices: Vec<Value> = (0..128).map(cpu).collect();
    slice("node-b-cpu", "cpu.example.com", "node-b", "node-b", &devices)
}

fn old_slice(version: Version) -> Value {
    let mut basic = fixed_device(version, "m0", &[("memory", "64Gi")]);
    basic["capacity"] = json!({ "size": { "value": "64Gi" } });
    if let Some(fields) = basic.as_object_mut() {
        fields.remove("name");
    }
    let device = json!({ "name": "m0", "basic": basic });
    let mut slice = slice("old-client", "mem.example.com", "node-a", "mem", &[device]);
    slice["apiVersion"] = json!("resource.k8s.io/v1beta1");
    slice
}
