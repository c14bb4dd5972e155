//! Rounds of workloads: pods come, are compared, go, and the devices of those that stay change.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use draguard_testbed::objects::{claim, object, why_pending};
use draguard_testbed::{Client, ControlPlane, Hook, Options, Patch, Phase, Review, Rule, Verdict, Version, Webhook};
use draguard_testbed::{path_of, wait_for};
use serde_json::{Value, json};

use super::compare::{Comparison, Found};
use super::history::Books;
use super::kubelet;
use super::pods::{Pods, RETRIED, STRANDED};
use super::random::Random;
use super::world::{self, NAMESPACE};
use crate::bed::SOON;

const SEED: u64 = 5;
const ROUNDS: usize = 5;
const PODS_A_ROUND: usize = 64;
/// Nothing has happened for so long: the cluster has come to rest.
const REST: Duration = Duration::from_secs(1);
/// Looking takes as much of the machine as what is looked at.
const PAUSE: Duration = Duration::from_millis(200);
/// A pod that fails again and again is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(8);

/// Lives all rounds on a control plane of their own.
pub fn live(version: Version) {
    let start = Instant::now();
    let cluster = ControlPlane::start(&Options::new(version).in_a_hurry());
    let mut random = Random::new(SEED);
    world::build(&cluster.admin(), version, &mut random);
    let webhook = Webhook::with(refusing());
    let _hook =
        Hook::install(&cluster.admin(), &webhook, Phase::Validate, NAMESPACE, &[Rule::core(&["pods/binding"])], |_| {});
    let mut life = Life::new(&cluster, version);
    let mut pods = Pods::new(&mut random);
    for round in 0..ROUNDS {
        life.come(&mut pods, round);
        life.compare(&cluster);
        life.go(&mut pods, round);
        life.compare(&cluster);
    }
    life.report(start);
}

/// Refuses the first binding of pods to be retried, and every one of pods to be stranded.
fn refusing() -> impl FnMut(&Review) -> Verdict + Send + 'static {
    let mut refused = BTreeSet::new();
    move |review| {
        let name = review.request()["name"].as_str().unwrap_or_default().to_owned();
        let is_refused = name.starts_with(STRANDED) || name.starts_with(RETRIED) && refused.insert(name);
        if is_refused { Verdict::deny(403, "not now") } else { Verdict::Allow }
    }
}

struct Life {
    admin: Client,
    version: Version,
    books: Books,
    found: Found,
    made: [usize; 2],
    republished: usize,
}

impl Life {
    fn new(cluster: &ControlPlane, version: Version) -> Life {
        let admin = cluster.admin();
        let books = Books::begin(&admin, version);
        Life { admin, version, books, found: Found::default(), made: [0; 2], republished: 0 }
    }

    /// New workloads. Those of every second round may leave claims allocated that no pod uses.
    fn come(&mut self, pods: &mut Pods, round: usize) {
        for _ in 0..PODS_A_ROUND {
            let workload = pods.next(round.is_multiple_of(2));
            workload.before.iter().for_each(|object| drop(self.admin.create(object).must()));
            self.admin.create(&workload.pod).must();
            self.made[0] += 1;
            self.made[1] += workload.before.len();
        }
        self.rest();
    }

    /// Pods go, or end; claims are deleted or free again; devices change under those that stay; the ledger starts anew.
    fn go(&mut self, pods: &mut Pods, round: usize) {
        pods.forget_shared();
        self.part(pods.random());
        self.rest();
        let (mut free, taken): (Vec<Value>, Vec<Value>) =
            self.named_claims().into_iter().partition(|claim| claim["status"]["reservedFor"].is_null());
        // They stay until their pods have gone.
        let leaving: Vec<Value> = taken.into_iter().filter(|_| pods.random().chance(5)).collect();
        self.delete_all(&leaving);
        if !round.is_multiple_of(2) {
            free = self.republish(free, pods.random());
        }
        let known: Vec<String> = self.admin.list(&collection("pods")).iter().flat_map(claims_of).collect();
        let free = free.iter().map(|claim| name_of(claim).to_owned());
        pods.free = free.filter(|claim| !known.contains(claim)).collect();
        if round == ROUNDS / 2 {
            self.books.catch_up();
            self.books.restart();
        }
    }

    /// About half of the pods go, some end, and of some a kubelet reports.
    fn part(&self, random: &mut Random) {
        let pods = self.admin.list(&collection("pods"));
        for pod in &pods {
            let is_bound = pod["spec"]["nodeName"].is_string();
            // The claim controller adds an ended pod to a claim that others use, and takes it out, for as long as it is there.
            let is_alone = !pods.iter().any(|other| name_of(other) != name_of(pod) && share_a_claim(pod, other));
            if !is_bound || random.chance(45) {
                self.delete(pod, "Pod");
            } else if is_alone && random.chance(10) {
                let over = json!({ "status": { "phase": "Succeeded" } });
                self.admin.patch(&status_path(pod), Patch::Merge, &over).must();
            } else if random.chance(20) {
                kubelet::report(&self.admin, self.version, &status_path(pod), pod, random);
            }
        }
    }

    /// Changes devices. Claims that are allocated to nobody go before: the next pod would pay what they cost then.
    fn republish(&mut self, free: Vec<Value>, random: &mut Random) -> Vec<Value> {
        let (free, allocated): (_, Vec<Value>) =
            free.into_iter().partition(|claim| claim["status"]["allocation"].is_null());
        self.delete_all(&allocated);
        self.rest();
        self.republished += world::republish(&self.admin, self.version, random);
        self.rest();
        free
    }

    fn named_claims(&self) -> Vec<Value> {
        let mut claims = self.admin.list(&collection("resourceclaims"));
        let is_kept = |claim: &Value| claim["metadata"]["ownerReferences"].is_null();
        claims.retain(|claim| is_kept(claim) && claim["metadata"]["deletionTimestamp"].is_null());
        claims
    }

    fn delete_all(&self, claims: &[Value]) {
        for claim in claims {
            self.delete(claim, "ResourceClaim");
        }
    }

    fn delete(&self, object: &Value, kind: &str) {
        let name = name_of(object);
        let path = match kind {
            "Pod" => path_of(&self::object("v1", "Pod", Some(NAMESPACE), name)) + "?gracePeriodSeconds=0",
            _ => path_of(&claim(NAMESPACE, name, &[])),
        };
        self.admin.delete(&path).must();
    }

    /// Waits until pods and claims rest, and all pods are bound or said to be unschedulable. Stranded pods never rest, nor
    /// does one for which the scheduler remembers a claim that was made anew since (v1.36, seen once in eight lives): it is
    /// pending, or said to be unschedulable again and again.
    fn rest(&self) {
        let (start, mut since, mut before, mut moved) = (Instant::now(), Instant::now(), BTreeSet::new(), Vec::new());
        let mut restless: BTreeSet<String> = BTreeSet::new();
        wait_for("the cluster to rest", 2 * SOON, || {
            std::thread::sleep(PAUSE);
            let mut all = self.admin.list(&collection("pods"));
            let moving: Vec<&Value> = all.iter().filter(|pod| is_moving(pod)).collect();
            let pending: Vec<String> = moving.iter().map(|pod| shown(pod)).collect();
            let is_late = start.elapsed() > PATIENCE;
            restless.extend(moving.iter().filter(|_| is_late).map(|pod| name_of(pod).to_owned()));
            let unbound: BTreeSet<String> =
                all.iter().filter(|pod| pod["spec"]["nodeName"].is_null()).map(|pod| name_of(pod).to_owned()).collect();
            all.extend(self.admin.list(&collection("resourceclaims")));
            // A pod's name begins the names of the claims that are made for it.
            let is_of = |name: &str, pod: &str| {
                name.strip_prefix(pod).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'-', ..]))
            };
            let is_calm = |name: &str| !restless.iter().any(|pod| is_of(name, pod)) && !name.starts_with(STRANDED);
            let calm = all.iter().filter(|object| is_calm(name_of(object)));
            let now: BTreeSet<(String, String)> =
                calm.map(|object| (name_of(object).to_owned(), version_of(object))).collect();
            if now != before {
                moved = now.symmetric_difference(&before).cloned().collect();
                let names = moved.iter().map(|(name, _)| name).filter(|name| is_late && unbound.contains(*name));
                restless.extend(names.cloned());
                (since, before) = (Instant::now(), now);
            }
            let is_over = pending.is_empty() || is_late;
            let is_quiet = since.elapsed() > REST;
            if is_over && is_quiet { Ok(()) } else { Err(format!("pending: {pending:?}; last moved: {moved:?}")) }
        });
    }

    /// Compares everything at a moment in which nothing happens.
    fn compare(&mut self, cluster: &ControlPlane) {
        let (pods, cache) = wait_for("the scheduler to have seen every pod", SOON, || {
            let pods = bound(&self.admin);
            let cache = cluster.scheduler_cache();
            let cached: BTreeSet<&str> = cache.iter().flat_map(|node| &node.pods).map(String::as_str).collect();
            let uids: BTreeSet<&str> = pods.iter().filter_map(|pod| pod["metadata"]["uid"].as_str()).collect();
            let differ = format!("{} pods, {} in the cache", uids.len(), cached.len());
            let is_same = uids == cached;
            if is_same { Ok((pods, cache)) } else { Err(differ) }
        });
        self.books.catch_up();
        Comparison::new(self.version, &self.books, &mut self.found).all(&pods, &cache);
        // What comes after would only follow from it.
        let differences = &self.found.differences;
        if !differences.is_empty() {
            let logs = cluster.keep_logs();
            panic!(
                "seed {SEED}: {} differences: {differences:#?}\nlogs are kept in {}",
                differences.len(),
                logs.display()
            );
        }
    }

    fn report(&self, start: Instant) {
        let (found, version, took) = (&self.found, self.version, start.elapsed().as_secs());
        let ([pods, claims], republished, left_out) = (self.made, self.republished, found.left_out.len());
        println!(
            "workloads {version}, seed {SEED}: {pods} pods, {claims} claims, {republished} slices changed; compared \
             {} bound pods, {} of their claims twice, {} node sums: no difference but {left_out} claims that the \
             scheduler leaves out; {took} s",
            found.pods, found.claims, found.nodes,
        );
    }
}

/// Bound, and not over.
fn bound(admin: &Client) -> Vec<Value> {
    let mut pods = admin.list("/api/v1/pods");
    pods.retain(|pod| pod["spec"]["nodeName"].is_string() && pod["status"]["phase"] != "Succeeded");
    pods
}

/// Neither bound nor told why not.
fn is_moving(pod: &Value) -> bool {
    let is_pending = pod["spec"]["nodeName"].is_null() && !name_of(pod).starts_with(STRANDED);
    is_pending && !why_pending(pod).starts_with("Unschedulable")
}

fn share_a_claim(one: &Value, other: &Value) -> bool {
    let others = claims_of(other);
    claims_of(one).iter().any(|claim| others.contains(claim))
}

/// The named claims of a pod.
fn claims_of(pod: &Value) -> Vec<String> {
    let claims = pod["spec"]["resourceClaims"].as_array().into_iter().flatten();
    claims.filter_map(|claim| claim["resourceClaimName"].as_str().map(str::to_owned)).collect()
}

fn shown(pod: &Value) -> String {
    format!("{}: {}", name_of(pod), why_pending(pod))
}

fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn version_of(object: &Value) -> String {
    object["metadata"]["resourceVersion"].to_string()
}

fn status_path(pod: &Value) -> String {
    format!("{}/{}/status", collection("pods"), name_of(pod))
}

fn collection(plural: &str) -> String {
    let root = if plural == "pods" { "/api/v1" } else { "/apis/resource.k8s.io/v1" };
    format!("{root}/namespaces/{NAMESPACE}/{plural}")
}
