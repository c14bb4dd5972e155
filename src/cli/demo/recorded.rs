//! The reviews of the demo: recorded from real API servers, in the order in which they were sent.

use super::answer::Expected::{self, Clean, Denied, Patched};

/// One review.
pub(super) struct Recorded {
    /// The API server's version.
    pub(super) version: &'static str,
    /// `/validate` or `/mutate`.
    pub(super) path: &'static str,
    /// The review as it was sent.
    pub(super) body: &'static str,
    /// What it is to come to.
    pub(super) expected: Expected,
}

macro_rules! recorded {
    ($($version:literal $path:literal $file:literal => $expected:expr,)*) => {
        &[$(Recorded {
            version: $version,
            path: $path,
            body: include_str!(concat!("../../../tests/fixtures/", $version, "/", $file, ".json")),
            expected: $expected,
        }),*]
    };
}

/// All of them.
pub(super) const ALL: &[Recorded] = recorded! {
    "v1.36" "/validate" "01-driver-publishes-cpu-02-validate-create-resourceslices" => Clean,
    "v1.36" "/validate" "02-driver-publishes-gpu-02-validate-create-resourceslices" => Clean,
    "v1.36" "/validate" "03-driver-publishes-128-devices-02-validate-create-resourceslices" => Clean,
    "v1.36" "/validate" "04-driver-updates-generation-02-validate-update-resourceslices" => Clean,
    "v1.36" "/validate" "05-driver-writes-other-node-02-validate-create-resourceslices" => Denied(&["DG206"]),
    "v1.36" "/validate" "06-kubelet-publishes-02-validate-create-resourceslices" => Clean,
    "v1.36" "/validate" "08-dry-run-02-validate-create-resourceslices" => Clean,
    "v1.36" "/validate" "10-upstream-accepts-wrong-units-02-validate-create-resourceslices"
        => Denied(&["DG104", "DG105"]),
    "v1.36" "/validate" "20-pod-with-capacity-claim-02-validate-create-resourceclaims" => Clean,
    "v1.36" "/validate" "20-pod-with-capacity-claim-04-validate-create-pods" => Clean,
    "v1.36" "/validate" "20-pod-with-capacity-claim-10-validate-update-resourceclaims.status" => Clean,
    "v1.36" "/validate" "20-pod-with-capacity-claim-12-validate-update-pods.status" => Clean,
    "v1.36" "/validate" "22-upstream-accepts-negative-request-02-validate-create-resourceclaims"
        => Denied(&["DG301"]),
    "v1.36" "/validate" "36-pod-status-amount-shrunk-04-validate-update-pods.status" => Denied(&["DG405"]),
    "v1.36" "/mutate" "37-kubelet-sets-phase-01-mutate-update-pods.status" => Clean,
    "v1.36" "/mutate" "38-put-without-the-list-01-mutate-update-pods.status" => Patched(&["DG407"]),
    "v1.36" "/mutate" "39-put-with-empty-list-01-mutate-update-pods.status" => Clean,
    "v1.36" "/validate" "50-pod-gone-claim-released-04-validate-update-resourceclaims.status" => Clean,
    "v1.36" "/validate" "60-kubelet-wipes-its-slices-02-validate-delete-resourceslices" => Clean,
    "v1.36" "/validate" "61-driver-republishes-generation-1-02-validate-create-resourceslices" => Clean,
    "v1.37" "/validate" "01-driver-publishes-cpu-02-validate-create-resourceslices" => Clean,
    "v1.37" "/validate" "02-driver-publishes-gpu-02-validate-create-resourceslices" => Clean,
    "v1.37" "/validate" "03-driver-publishes-128-devices-02-validate-create-resourceslices" => Clean,
    "v1.37" "/validate" "05-driver-writes-other-node-02-validate-create-resourceslices" => Denied(&["DG206"]),
    "v1.37" "/validate" "09-server-side-apply-02-validate-create-resourceslices" => Clean,
    "v1.37" "/validate" "10-upstream-accepts-wrong-units-02-validate-create-resourceslices"
        => Denied(&["DG104", "DG105"]),
    "v1.37" "/validate" "21-pod-with-template-two-gpus-one-zone-02-validate-create-resourceclaimtemplates" => Clean,
    "v1.37" "/validate" "21-pod-with-template-two-gpus-one-zone-14-validate-update-resourceclaims.status" => Clean,
    "v1.37" "/validate" "21-pod-with-template-two-gpus-one-zone-16-validate-update-pods.status" => Clean,
    "v1.37" "/validate" "22-upstream-accepts-negative-request-02-validate-create-resourceclaims"
        => Denied(&["DG301"]),
    "v1.37" "/validate" "30-driver-writes-its-device-status-02-validate-update-resourceclaims.status" => Clean,
    "v1.37" "/validate" "36-pod-status-amount-shrunk-04-validate-update-pods.status" => Denied(&["DG405"]),
    "v1.37" "/mutate" "37-kubelet-sets-phase-01-mutate-update-pods.status" => Clean,
    "v1.37" "/validate" "51-claim-removed-02-validate-delete-resourceclaims" => Clean,
};
