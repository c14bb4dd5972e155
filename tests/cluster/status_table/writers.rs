//! Who writes: the columns of the table.

use super::rights::{self as may, Right};
use super::table::{VERBS, Verb};

/// Somebody with certain rights.
pub struct Writer {
    /// Who that is, and what a role gives them beside the right to write claim status at all.
    pub says: &'static str,
    pub who: Who,
    pub role: Role,
    /// What they write: everybody updates, not everybody patches too.
    pub verbs: &'static [Verb],
}

impl Writer {
    const fn patching(self) -> Writer {
        Writer { verbs: VERBS, ..self }
    }

    /// Whether the API server takes them for somebody on a node.
    pub fn is_on(&self, node: Node) -> bool {
        match self.who {
            Account(_, nodes) => nodes == [node],
            Token(_, on) => on == Some(node),
            Admin | User(..) => false,
        }
    }
}

/// How the API server knows them.
pub enum Who {
    /// An administrator.
    Admin,
    /// A user with this name and groups, who may be said to be on these nodes.
    User(&'static str, &'static [&'static str], &'static [Node]),
    /// A service account of the table's namespace, whose token may name nodes.
    Account(&'static str, &'static [Node]),
    /// Likewise, with a real token of a pod on this node, or bound to nothing.
    Token(&'static str, Option<Node>),
}

/// One of the two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    A,
    B,
}

/// How the rights are given.
pub enum Role {
    /// The cluster brings them along.
    Builtin,
    /// By a `ClusterRoleBinding`.
    Everywhere(&'static [Right]),
    /// By a `RoleBinding` in the claims' namespace.
    InNamespace(&'static [Right]),
}

use Node::{A, B};
use Role::{Builtin, Everywhere, InNamespace};
use Who::{Account, Admin, Token, User};

const SCHEDULER: &str = "system:kube-scheduler";
/// The claim controller's account.
pub const CLAIM_CONTROLLER: &str = "system:serviceaccount:kube-system:resource-claim-controller";
/// The controllers' account where they share one.
pub const MANAGER: &str = "system:kube-controller-manager";
const STATUS: &[Right] = &[may::STATUS];
const BINDER: &[Right] = &[may::STATUS, may::BINDING];
const LOCAL_DRIVER: &[Right] = &[may::STATUS, may::LOCAL_GPU];
const NAMED_BINDER: &[Right] = &[may::STATUS, may::BINDING_OF_CLAIMS];
const UPDATING_BINDER: &[Right] = &[may::STATUS, may::BINDING_BY_UPDATE];
const PATCHING_BINDER: &[Right] = &[may::STATUS, may::BINDING_BY_PATCH];
const UPDATING_DRIVER: &[Right] = &[may::STATUS, may::LOCAL_GPU_BY_UPDATE];
const PATCHING_DRIVER: &[Right] = &[may::STATUS, may::LOCAL_GPU_BY_PATCH];
const LOCAL_NIC: &[Right] = &[may::STATUS, may::LOCAL_NIC];
const LOCAL_BOTH: &[Right] = &[may::STATUS, may::LOCAL_DRIVERS];
const LOCAL_ALL: &[Right] = &[may::STATUS, may::LOCAL_ALL];
const PLAIN: &[Right] = &[may::STATUS, may::PLAIN_GPU];
const ANYWHERE: &[Right] = &[may::STATUS, may::ANYWHERE_GPU];
const UPDATING_ANYWHERE: &[Right] = &[may::STATUS, may::ANYWHERE_GPU_BY_UPDATE];
const ANYWHERE_ALL: &[Right] = &[may::STATUS, may::ANYWHERE_ALL];
const EVERY_VERB: &[Right] = &[may::STATUS, may::EVERY_VERB_GPU];
const BINDING_DRIVER: &[Right] = &[may::STATUS, may::BINDING, may::LOCAL_GPU];
const CONTROLLERS: &[&str] = &["system:serviceaccounts"];
const NODES: &[&str] = &["system:nodes"];

const fn is(says: &'static str, who: Who, role: Role) -> Writer {
    Writer { says, who, role, verbs: &[Verb::Put] }
}

/// All of them.
pub const WRITERS: &[Writer] = &[
    is("an administrator", Admin, Builtin).patching(),
    is("kube-scheduler", User(SCHEDULER, &[], &[]), Builtin).patching(),
    is("the claim controller", User(CLAIM_CONTROLLER, CONTROLLERS, &[]), Builtin),
    is("a user with status alone", User("tenant", &[], &[]), Everywhere(STATUS)).patching(),
    is("a user with binding", User("binder", &[], &[]), Everywhere(BINDER)),
    is("a user with binding by a namespaced role", User("inside", &[], &[]), InNamespace(BINDER)),
    is("a user with binding for claims by name", User("named", &[], &[]), Everywhere(NAMED_BINDER)),
    is("a user with binding, update only", User("updater", &[], &[]), Everywhere(UPDATING_BINDER)).patching(),
    is("a user with binding, patch only", User("patcher", &[], &[]), Everywhere(PATCHING_BINDER)).patching(),
    is("a user with resourceclaims/*", User("slash", &[], &[]), Everywhere(&[may::STATUS, may::NOTHING_OF_CLAIMS])),
    is("a user with */binding", User("star", &[], &[]), Everywhere(&[may::STATUS, may::BINDING_OF_WHATEVER])),
    is("a user with everything of the API group", User("all", &[], &[]), Everywhere(&[may::EVERYTHING])),
    is("a user with binding through a group", User("member", &["binders"], &[]), Everywhere(BINDER)),
    is("a foreign scheduler's account with binding", Account("foreign-scheduler", &[]), Everywhere(BINDER)).patching(),
    is("the kubelet of node a with status", User("system:node:{a}", NODES, &[]), Everywhere(STATUS)).patching(),
    is("a kubelet said to be on node a, local gpu right", User("system:node:x", NODES, &[A]), Everywhere(LOCAL_DRIVER)),
    is("kube-controller-manager itself with status", User(MANAGER, &[], &[]), Everywhere(STATUS)),
    is("a driver on node a with status alone", Account("bare", &[A]), Everywhere(STATUS)),
    is("the gpu driver on node a (real token)", Token("driver-a", Some(A)), Everywhere(LOCAL_DRIVER)).patching(),
    is("the gpu driver on node b (real token)", Token("driver-b", Some(B)), Everywhere(LOCAL_DRIVER)).patching(),
    is("the gpu driver, unbound (real token)", Token("driver-unbound", None), Everywhere(LOCAL_DRIVER)).patching(),
    is("the gpu driver on node a by a namespaced role", Account("driver-inside", &[A]), InNamespace(LOCAL_DRIVER)),
    is("the gpu driver on node a, update only", Account("updater", &[A]), Everywhere(UPDATING_DRIVER)).patching(),
    is("the gpu driver on node a, patch only", Account("patcher", &[A]), Everywhere(PATCHING_DRIVER)).patching(),
    is("the nic driver on node a", Account("nic-driver", &[A]), Everywhere(LOCAL_NIC)),
    is("the driver of both on node a", Account("both", &[A]), Everywhere(LOCAL_BOTH)),
    is("a driver on node a with every driver's local right", Account("any", &[A]), Everywhere(LOCAL_ALL)),
    is("a driver on node a with the plain verbs", Account("plain", &[A]), Everywhere(PLAIN)),
    is("an account on two nodes, local gpu right", Account("two-nodes", &[A, B]), Everywhere(LOCAL_DRIVER)),
    is("a user on node a with the local gpu right", User("user-on-a", &[], &[A]), Everywhere(LOCAL_DRIVER)),
    is("a gpu controller with the right anywhere", Account("controller", &[]), Everywhere(ANYWHERE)),
    is("a gpu controller on node b, right anywhere", Account("controller-b", &[B]), Everywhere(ANYWHERE)),
    is(
        "a gpu controller, right anywhere, update only",
        Account("anywhere-updater", &[]),
        Everywhere(UPDATING_ANYWHERE),
    )
    .patching(),
    is("a user with every driver's right anywhere", User("anywhere", &[], &[]), Everywhere(ANYWHERE_ALL)),
    is("a gpu account with every verb", Account("every-verb", &[]), Everywhere(EVERY_VERB)),
    is("a gpu driver on node a that binds too", Account("binding-driver", &[A]), Everywhere(BINDING_DRIVER)),
];
