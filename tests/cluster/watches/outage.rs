//! The API server goes and comes back, and its etcd hangs; watched with the rights that are shipped.

use std::time::{Duration, Instant};

use draguard::cluster::freshness::Freshness;
use draguard::ledger::object::Kind;
use draguard_testbed::{Client, ControlPlane, Options, path_of};
use serde_json::Value;

use super::view::View;
use crate::bed::Bed;
use crate::scenarios::apply;

const WINDOW: Duration = Duration::from_secs(12);
const ACCOUNT: &str = "system:serviceaccount:draguard-system:draguard";

/// All of it, on a control plane of the play's own.
pub fn play(mut cluster: ControlPlane) {
    let stored = fill(&Bed::on(&cluster, "watch_outage"));
    apply(&cluster.kubectl(), &["--only", "workload"]);
    let view = View::with(&cluster.kubeconfig(ACCOUNT, None), WINDOW);
    view.wait_until_fresh();
    view.wait_for_all(&cluster.admin());
    stays_fresh(&view, WINDOW * 2);
    the_server_goes(&mut cluster, &view, &stored);
    etcd_hangs(&mut cluster, &view);
}

/// A slice, a claim and a pod on a node.
fn fill(bed: &Bed) -> [Value; 2] {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["nodeName"] = bed.node.as_str().into();
    bed.admin.create(&pod).must();
    [claim, bed.slice(&[])]
}

/// Nothing happens to any of the kinds, and the view stays recent all the same.
fn stays_fresh(view: &View, time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        assert_eq!(view.cluster().freshness(), Freshness::Fresh);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// While it is away another server of the same etcd changes things, so that the versions seen last are gone.
fn the_server_goes(cluster: &mut ControlPlane, view: &View, [claim, slice]: &[Value; 2]) {
    let other = ControlPlane::start(&Options::new(cluster.version()).api_only().on_etcd_of(cluster));
    cluster.kill_api_server();
    let admin: Client = other.admin();
    admin.delete(&path_of(slice)).must();
    admin.delete(&path_of(claim)).must();
    let mut again = claim.clone();
    again["metadata"] = serde_json::json!({ "name": "c", "namespace": claim["metadata"]["namespace"] });
    let again = admin.create(&again).must();
    let stale = view.wait_until("a stale view", |state| matches!(state, Freshness::Stale { .. }));
    assert!(matches!(stale, Freshness::Stale { since, .. } if since <= view.cluster().clock().now()), "{stale:?}");
    cluster.start_api_server();
    view.wait_until_fresh();
    view.wait_for_all(&cluster.admin());
    view.wait_for(Kind::Claim, &again);
}

/// The API server still answers what needs no etcd, and its watches stay open. That is no recent view.
fn etcd_hangs(cluster: &mut ControlPlane, view: &View) {
    cluster.etcd_process().expect("an etcd of its own").signal("STOP");
    view.wait_until("a stale view", |state| matches!(state, Freshness::Stale { .. }));
    cluster.etcd_process().expect("an etcd of its own").signal("CONT");
    view.wait_until_fresh();
    view.wait_for_all(&cluster.admin());
}
