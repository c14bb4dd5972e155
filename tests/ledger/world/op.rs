//! What people, drivers, schedulers and kubelets do. Where it makes no sense at the time, nothing happens.

use proptest::prelude::*;

/// One thing done. Numbers choose among what is there.
#[derive(Debug, Clone)]
pub enum Op {
    /// A node is there, and ready or not.
    Node {
        node: usize,
        is_ready: bool,
    },
    NodeGone {
        node: usize,
    },
    /// A driver publishes a pool, some devices left out, its generation raised or not.
    Publish {
        pool: usize,
        left_out: u8,
        is_raised: bool,
    },
    /// One slice of a pool is deleted.
    Wipe {
        pool: usize,
        slice: usize,
    },
    Claim {
        claim: usize,
    },
    /// Devices are given to a claim; each choice is of a pool, a device, a share and an amount.
    Allocate {
        claim: usize,
        choices: Vec<(usize, usize, u8, u8)>,
    },
    Deallocate {
        claim: usize,
    },
    Reserve {
        claim: usize,
        pod: usize,
        is_group: bool,
    },
    Release {
        claim: usize,
    },
    /// Somebody waits for its finalizer.
    Leave {
        claim: usize,
    },
    DeleteClaim {
        claim: usize,
    },
    /// A pod is made that uses some claims, each with a number of containers that refer to it.
    Pod {
        pod: usize,
        claims: Vec<(usize, u32)>,
        asks: u8,
    },
    /// It is bound where its claims are, or to another node.
    Bind {
        pod: usize,
        elsewhere: Option<usize>,
    },
    /// Its status says what its claims take: rightly, or by so much more.
    List {
        pod: usize,
        is_old: bool,
        more: u8,
    },
    /// Its list, or only the list's amounts, are gone.
    Unlist {
        pod: usize,
        is_emptied: bool,
    },
    /// A write that means nothing to the ledger.
    Touch {
        pod: usize,
    },
    Resize {
        pod: usize,
        asks: u8,
    },
    Finish {
        pod: usize,
    },
    DeletePod {
        pod: usize,
    },
}

pub fn op() -> impl Strategy<Value = Op> {
    let nth = || 0..5_usize;
    let choice = (0..6_usize, 0..3_usize, any::<u8>(), any::<u8>());
    let uses = prop::collection::vec((0..5_usize, 0..3_u32), 0..3);
    prop_oneof![
        1 => (nth(), any::<bool>()).prop_map(|(node, is_ready)| Op::Node { node, is_ready }),
        1 => nth().prop_map(|node| Op::NodeGone { node }),
        5 => (0..6_usize, any::<u8>(), any::<bool>())
            .prop_map(|(pool, left_out, is_raised)| Op::Publish { pool, left_out, is_raised }),
        2 => (0..6_usize, 0..2_usize).prop_map(|(pool, slice)| Op::Wipe { pool, slice }),
        4 => nth().prop_map(|claim| Op::Claim { claim }),
        6 => (nth(), prop::collection::vec(choice, 0..4)).prop_map(|(claim, choices)| Op::Allocate { claim, choices }),
        1 => nth().prop_map(|claim| Op::Deallocate { claim }),
        6 => (nth(), nth(), prop::bool::weighted(0.15))
            .prop_map(|(claim, pod, is_group)| Op::Reserve { claim, pod, is_group }),
        2 => nth().prop_map(|claim| Op::Release { claim }),
        1 => nth().prop_map(|claim| Op::Leave { claim }),
        2 => nth().prop_map(|claim| Op::DeleteClaim { claim }),
        5 => (nth(), uses, any::<u8>()).prop_map(|(pod, claims, asks)| Op::Pod { pod, claims, asks }),
        6 => (nth(), prop::option::weighted(0.2, nth())).prop_map(|(pod, elsewhere)| Op::Bind { pod, elsewhere }),
        4 => (nth(), any::<bool>(), prop_oneof![3 => Just(0), 1 => any::<u8>()])
            .prop_map(|(pod, is_old, more)| Op::List { pod, is_old, more }),
        1 => (nth(), any::<bool>()).prop_map(|(pod, is_emptied)| Op::Unlist { pod, is_emptied }),
        1 => nth().prop_map(|pod| Op::Touch { pod }),
        1 => (nth(), any::<u8>()).prop_map(|(pod, asks)| Op::Resize { pod, asks }),
        1 => nth().prop_map(|pod| Op::Finish { pod }),
        2 => nth().prop_map(|pod| Op::DeletePod { pod }),
    ]
}
