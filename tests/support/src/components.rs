//! The flags of each program of the control plane.

use std::path::Path;

use crate::Version;

/// The gates under which the whole test bed runs, unless a test says otherwise.
pub(crate) const GATES: &[&str] = &[
    "DRANodeAllocatableResources",
    "DRAConsumableCapacity",
    "DRAPartitionableDevices",
    "DRADeviceTaints",
    "DRADeviceTaintRules",
    "DRAResourceClaimDeviceStatus",
    "DRAExtendedResource",
];

/// Locked to true in a version: naming them there draws a warning at best.
const LOCKED_IN_V1_37: &[&str] = &["DRAResourceClaimDeviceStatus", "DRAExtendedResource"];

/// No controller that judges nodes: without kubelets all of them would be given up.
const CONTROLLERS: &str = "serviceaccount-controller,namespace-controller,\
    resourceclaim-controller,garbage-collector-controller,pod-garbage-collector-controller,\
    taint-eviction-controller,device-taint-eviction-controller,clusterrole-aggregation-controller";

/// The files that the programs read.
pub(crate) struct Files {
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) signing_key: String,
    pub(crate) verifying_key: String,
}

/// Gates as a flag: the usual ones, changed by `changes`.
pub(crate) fn gates(version: Version, changes: &[(String, bool)]) -> String {
    let locked = |gate: &&str| version == Version::V1_37 && LOCKED_IN_V1_37.contains(gate);
    let usual = GATES.iter().filter(|gate| !locked(gate));
    let mut all: Vec<(String, bool)> = usual.map(|gate| (gate.to_string(), true)).collect();
    for (gate, on) in changes {
        all.retain(|(name, _)| name != gate);
        all.push((gate.clone(), *on));
    }
    let pairs: Vec<String> = all.iter().map(|(gate, on)| format!("{gate}={on}")).collect();
    format!("--feature-gates={}", pairs.join(","))
}

pub(crate) fn etcd(data: &Path, client: u16, peer: u16) -> Vec<String> {
    let peer = format!("http://127.0.0.1:{peer}");
    let client = format!("http://127.0.0.1:{client}");
    flags(&[
        &format!("--data-dir={}", data.display()),
        &format!("--listen-client-urls={client}"),
        &format!("--advertise-client-urls={client}"),
        &format!("--listen-peer-urls={peer}"),
        &format!("--initial-advertise-peer-urls={peer}"),
        &format!("--initial-cluster=default={peer}"),
        "--unsafe-no-fsync",
        "--log-level=warn",
    ])
}

pub(crate) fn api_server(port: u16, etcd: &str, files: &Files) -> Vec<String> {
    flags(&[
        &format!("--etcd-servers={etcd}"),
        &format!("--secure-port={port}"),
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        // v1.37 refuses to publish a loopback address as its own endpoint.
        "--endpoint-reconciler-type=none",
        &format!("--tls-cert-file={}", files.certificate),
        &format!("--tls-private-key-file={}", files.key),
        &format!("--client-ca-file={}", files.authority),
        "--service-account-issuer=https://kubernetes.default.svc",
        &format!("--service-account-key-file={}", files.verifying_key),
        &format!("--service-account-signing-key-file={}", files.signing_key),
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true,\
         resource.k8s.io/v1alpha3=true",
        "--profiling=false",
    ])
}

pub(crate) fn scheduler(kubeconfig: &str) -> Vec<String> {
    flags(&[&format!("--kubeconfig={kubeconfig}"), "--secure-port=0", "--leader-elect=false"])
}

pub(crate) fn controller_manager(kubeconfig: &str, files: &Files) -> Vec<String> {
    flags(&[
        &format!("--kubeconfig={kubeconfig}"),
        "--secure-port=0",
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        &format!("--service-account-private-key-file={}", files.signing_key),
        &format!("--root-ca-file={}", files.authority),
        &format!("--controllers={CONTROLLERS}"),
    ])
}

/// How often scheduler and controllers may write when they are in a hurry.
pub(crate) fn hurry() -> Vec<String> {
    flags(&["--kube-api-qps=1000", "--kube-api-burst=2000"])
}

fn flags(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|flag| flag.to_string()).collect()
}
