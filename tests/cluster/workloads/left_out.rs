//! Where the scheduler of v1.36 is wrong, and the ledger is not, each by name and with the exact difference.

use std::collections::BTreeMap;
use std::sync::Arc;

use draguard::ledger::object::Key;
use draguard::ledger::requests::Amounts;
use draguard::ledger::state::Ledger;
use draguard::model::quantity::Quantity;
use draguard_testbed::objects::{device_class, fixed_device, recorded, recorded_amount, request, slice};
use draguard_testbed::{Phase, Rule, Verdict, Version, Webhook, wait_for};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::compare::{key_of, takes, wrote};
use super::history::{Belief, fresh};
use crate::bed::{Bed, SOON};
use crate::fact::{BOTH, T36};
use crate::facts::counting::allocated_early;
use crate::planes::Planes;

struct Case {
    name: &'static str,
    on: &'static [Version],
    prove: fn(&Bed),
}

const CASES: &[Case] = &[
    Case { name: "ledger_counts_allocated_claims_that_v1_36_leaves_out", on: T36, prove: allocated_claims },
    Case { name: "ledger_counts_retried_pods_that_v1_36_leaves_out", on: T36, prove: retried_pods },
    Case { name: "ledger_tells_drivers_apart_that_v1_36_mixes_up", on: BOTH, prove: drivers_with_one_pool_name },
];

/// One test a case and version.
pub fn trials(planes: &Arc<Planes>) -> Vec<Trial> {
    let trial = |case: &'static Case, version: Version| {
        let planes = Arc::clone(planes);
        Trial::test(format!("{}::{version}", case.name), move || {
            (case.prove)(&Bed::new(&planes, version, case.name));
            Ok(())
        })
    };
    CASES.iter().flat_map(|case| case.on.iter().map(move |version| trial(case, *version))).collect()
}

fn allocated_claims(bed: &Bed) {
    allocated_early(bed);
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    left_out(bed, &pod);
}

fn retried_pods(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let webhook = Webhook::recording();
    let mut refused = false;
    webhook.behave(move |_| match std::mem::replace(&mut refused, true) {
        false => Verdict::deny(403, "not now"),
        true => Verdict::Allow,
    });
    let _hook = bed.hook(&webhook, Phase::Validate, &[Rule::core(&["pods/binding"])]);
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    left_out(bed, &pod);
}

/// The scheduler counts nothing of the pod's device of two cpu, the ledger all of it.
fn left_out(bed: &Bed, pod: &Value) {
    assert!(recorded(pod).is_null(), "{}", recorded(pod));
    assert_eq!(cached(bed, &[pod]), BTreeMap::new());
    for belief in [Belief::Lists, Belief::Nothing] {
        let ledger = fresh(&bed.admin, bed.version, belief);
        let two = Amounts::from_iter([("cpu".to_owned(), Quantity::whole(2))]);
        assert_eq!(takes(&ledger, pod, &Key::new(&bed.ns, "c")).mapping, two);
        assert_eq!(charged(&ledger, bed), 2000);
    }
}

/// Two drivers name their pools after the node: v1.36 takes the device of whichever slice it finds first.
fn drivers_with_one_pool_name(bed: &Bed) {
    const DEVICES: usize = 4;
    let drivers =
        [(bed.driver.clone(), bed.ns.clone(), "100m"), (format!("b.{}", bed.driver), format!("{}-b", bed.ns), "300m")];
    bed.add_node();
    for (driver, class, cpu) in &drivers {
        bed.admin.create(&device_class(class, driver)).must();
        let device = |nth| fixed_device(bed.version, &format!("dev-{nth}"), &[("cpu", *cpu)]);
        let devices: Vec<Value> = (0..DEVICES).map(device).collect();
        bed.create_slice(&slice(driver, &bed.node, &devices)).must();
    }
    let mut pods = Vec::new();
    for nth in 0..DEVICES {
        for (_, class, cpu) in &drivers {
            let name = format!("c-{cpu}-{nth}");
            bed.add_claim_for(&name, &[request("r", class)]);
            pods.push((bed.bound(&bed.add_pod(&name, &[&name])), *cpu));
        }
    }
    let believing = fresh(&bed.admin, bed.version, Belief::Lists);
    let computing = fresh(&bed.admin, bed.version, Belief::Nothing);
    let mut scheduler_has = 0;
    for (pod, own) in &pods {
        let key = key_of(pod);
        let own = Amounts::from_iter([("cpu".to_owned(), Quantity::parse(own).expect("cpu"))]);
        assert_eq!(takes(&computing, pod, &key).mapping, own);
        assert_eq!(takes(&believing, pod, &key), wrote(&recorded(pod)[0]));
        let recorded = recorded_amount(pod, &key.name, "cpu").expect("cpu");
        assert!(["100m", "300m"].contains(&&*recorded), "{recorded}");
        scheduler_has += Quantity::parse(&recorded).expect("cpu").milli_ceil().expect("cpu");
    }
    let all: Vec<&Value> = pods.iter().map(|(pod, _)| pod).collect();
    let cached = cached(bed, &all);
    assert_eq!(cached, BTreeMap::from([("cpu".to_owned(), scheduler_has)]));
    // What pods say counts for the node, right or wrong; what it should be is known beside it.
    assert_eq!(charged(&believing, bed), scheduler_has);
    assert_eq!(charged(&computing, bed), 400 * i64::try_from(DEVICES).expect("few"));
    if bed.version == Version::V1_37 {
        assert_eq!(scheduler_has, charged(&computing, bed));
    }
}

fn charged(ledger: &Ledger, bed: &Bed) -> i64 {
    let account = ledger.account(&bed.node).expect("an account");
    account.sums().charged.get("cpu").and_then(Quantity::milli_ceil).expect("cpu")
}

/// What the scheduler counts on the node once it has seen these pods there.
fn cached(bed: &Bed, pods: &[&Value]) -> BTreeMap<String, i64> {
    wait_for("the scheduler to have seen the pods", SOON, || {
        let cache = bed.cluster.scheduler_cache();
        let node = cache.into_iter().find(|node| node.name == bed.node).ok_or("no such node")?;
        let is_there = |pod: &&Value| pod["metadata"]["uid"].as_str().is_some_and(|uid| node.pods.contains(uid));
        let missing = json!(pods.iter().filter(|pod| !is_there(pod)).collect::<Vec<_>>());
        if missing == json!([]) { Ok(node.requested) } else { Err(missing.to_string()) }
    })
}
