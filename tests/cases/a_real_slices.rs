//! Area A: real slices of real drivers, which must never be refused.

use crate::reviewed::object;

#[test]
fn a01_cpu_grouped_numa_v137() {
    object("A01-cpu-grouped-numa-v137.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A01-cpu-grouped-numa-v137.yaml", &[]).is_clean();
}

#[test]
fn a02_cpu_individual_listattr_v137() {
    object("A02-cpu-individual-listattr-v137.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A02-cpu-individual-listattr-v137.yaml", &[]).is_clean();
}

#[test]
fn a03_cpu_grouped_no_mapping() {
    object("A03-cpu-grouped-no-mapping.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A03-cpu-grouped-no-mapping.yaml", &[]).is_clean();
}

#[test]
fn a05_memory_and_hugepages() {
    object("A05-memory-and-hugepages.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A05-memory-and-hugepages.yaml", &[]).is_clean();
}

#[test]
fn a06_example_cpu_v136_shape() {
    object("A06-example-cpu-v136-shape.yaml", &["--kube-version", "1.36"]).is_clean();
    object("A06-example-cpu-v136-shape.yaml", &[]).is_clean();
}

#[test]
fn a07_example_gpu_partitionable_two_slices() {
    object("A07-example-gpu-partitionable-two-slices.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A07-example-gpu-partitionable-two-slices.yaml", &[]).is_clean();
}

#[test]
fn a08_example_net_consumable() {
    object("A08-example-net-consumable.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A08-example-net-consumable.yaml", &[]).is_clean();
}

#[test]
fn a09_nvidia_gpu_overhead_v137() {
    object("A09-nvidia-gpu-overhead-v137.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A09-nvidia-gpu-overhead-v137.yaml", &[]).is_clean();
}

#[test]
fn a11_nvidia_compute_domain() {
    object("A11-nvidia-compute-domain.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A11-nvidia-compute-domain.yaml", &[]).is_clean();
}

#[test]
fn a13_amd_mi300x() {
    object("A13-amd-mi300x.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A13-amd-mi300x.yaml", &[]).is_clean();
}

#[test]
fn a15_intel_gaudi_empty_string() {
    object("A15-intel-gaudi-empty-string.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A15-intel-gaudi-empty-string.yaml", &[]).is_clean();
}

#[test]
fn a16_dranet_eks_efa() {
    object("A16-dranet-eks-efa.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A16-dranet-eks-efa.yaml", &[]).is_clean();
}

#[test]
fn a18_tpu_v1beta1_basic() {
    object("A18-tpu-v1beta1-basic.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A18-tpu-v1beta1-basic.yaml", &[]).is_clean();
}

#[test]
fn a19_sriov_vf() {
    object("A19-sriov-vf.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A19-sriov-vf.yaml", &[]).is_clean();
}

#[test]
fn a20_composable_fabric_nodeselector() {
    object("A20-composable-fabric-nodeselector.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A20-composable-fabric-nodeselector.yaml", &[]).is_clean();
}

#[test]
fn a22_e2e_mapping_and_overhead() {
    object("A22-e2e-mapping-and-overhead.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A22-e2e-mapping-and-overhead.yaml", &[]).is_clean();
}

#[test]
fn a23_empty_pool() {
    object("A23-empty-pool.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A23-empty-pool.yaml", &[]).is_clean();
}

#[test]
fn a25_v1beta2_flat() {
    object("A25-v1beta2-flat.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A25-v1beta2-flat.yaml", &[]).is_clean();
}

#[test]
fn a27_nvidia_numa_list() {
    object("A27-nvidia-numa-list.yaml", &["--kube-version", "1.37"]).is_clean();
    object("A27-nvidia-numa-list.yaml", &[]).is_clean();
}

#[test]
fn a06_the_same_omission_is_an_error_in_the_shape_of_v137() {
    use crate::reviewed::{one, slice};
    let device = "allowMultipleAllocations: true, capacity: {d.example.com/cpu: {value: \"8\"}}, nodeAllocatableResources: \
                  {cpu: {mapping: {capacityKey: d.example.com/cpu}}}";
    one(&slice(device)).denies(&["DG113"]);
}

#[test]
fn a07_either_half_of_the_pool_may_arrive_alone() {
    use crate::reviewed::review;
    let whole = std::fs::read_to_string("tests/cases/objects/A07-example-gpu-partitionable-two-slices.yaml").unwrap();
    for half in whole.split("---\n") {
        review(&[("half.yaml", half)], &[]).is_clean();
    }
}
