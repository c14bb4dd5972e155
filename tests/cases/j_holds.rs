//! Under every hold only a new mapped allocation waits.

use draguard::guard::{Guard, Proof};
use draguard::ledger::book::Book;
use draguard::ledger::holds::Reason;
use draguard::ledger::view::Freshness;
use draguard::settings::Settings;
use draguard::verdict::decision::Decision;
use draguard::wire::review;
use serde_json::{Value, json};

use crate::made::{allocates, changes, claim, given, node, pod, result, slice, whole};
use crate::served::{Ask, Cluster, ask};
use crate::told::Told;

const CLAIM_CONTROLLER: &str = "system:serviceaccount:kube-system:resource-claim-controller";

/// One hold: node-a, a pool of it, and the claim `held` that has `dev-0`, as it is when there is this reason.
struct Held {
    reason: Reason,
    told: Told,
    freshness: Freshness,
    halt: Option<String>,
}

fn devices() -> Value {
    json!([whole("dev-0", "8"), whole("dev-1", "1")])
}

fn plain() -> Value {
    let mut plain = slice("node-a", &json!([{"name": "plain"}]));
    plain["metadata"]["name"] = json!("plain");
    plain["spec"]["driver"] = json!("plain.example.com");
    plain
}

/// `held` as the scheduler left it.
fn held() -> Value {
    given("held", "node-a", &json!([result("dev-0")]), &["p"])
}

impl Held {
    fn of(reason: Reason) -> Self {
        let user = pod("p", Some("node-a"), "1", &["held"]);
        let told = Told::of(&[node("node-a", "64"), slice("node-a", &devices()), plain(), held(), user]);
        Self { reason, told, freshness: Freshness::Fresh, halt: None }.brought_about()
    }

    fn brought_about(mut self) -> Self {
        let mut published = slice("node-a", &devices());
        match self.reason {
            Reason::PoolIncomplete => {
                published["spec"]["pool"]["generation"] = json!(2);
                published["spec"]["pool"]["resourceSliceCount"] = json!(2);
                self.told.applied(&published);
            }
            Reason::PoolGone => self.told.deleted(&published),
            Reason::PoolInvalid => {
                published["metadata"]["name"] = json!("another");
                self.told.applied(&published);
            }
            Reason::Quarantined => self.told.quarantined(&published, "DG104"),
            Reason::MappingVanished => {
                self.told.applied(&slice("node-a", &json!([{"name": "dev-0"}, whole("dev-1", "1")])));
            }
            Reason::NodeNotReady => {
                let mut node = node("node-a", "64");
                node["status"]["conditions"][0]["status"] = json!("Unknown");
                self.told.applied(&node);
            }
            Reason::Overcommitted => self.told.applied(&node("node-a", "4")),
            Reason::ViewStale => self.freshness = Freshness::Stale,
            Reason::Rebuilding => self.freshness = Freshness::Rebuilding,
            Reason::Halted => self.halt = Some("the canary is looked at".to_owned()),
        }
        self
    }

    fn judge(&self, ask: &Ask) -> Decision {
        let book = Book::of(self.told.ledger.clone(), self.freshness);
        let settings = Settings { halt: self.halt.clone(), ..Settings::default() };
        let guard = Guard { book: Some(book.into()), settings: settings.into(), ..Guard::default() };
        let holds = guard.holds();
        assert!(holds.iter().any(|hold| hold.reason == self.reason), "{:?}: {holds:?}", self.reason);
        guard.validate(&review::read(ask.body().as_bytes()).unwrap(), Proof::Ledger, 0).decision().unwrap()
    }

    fn passes(&self, what: &str, ask: &Ask) {
        let decision = self.judge(ask);
        assert!(decision.allowed(), "{:?}: {what}: {decision:?}", self.reason);
    }
}

/// Before that, a kubelet of v1.36 was taken for one of v1.37 whose gate is off.
#[test]
fn nothing_is_said_of_kubelets_before_the_release_is_known() {
    let mut held = Held::of(Reason::Rebuilding);
    let mut old = node("node-a", "64");
    old["status"]["declaredFeatures"] = json!(["PodLevelResourcesHotplug"]);
    held.told.applied(&old);
    let published = ask("resourceslices", "admin", None, Some(slice("node-a", &json!([whole("dev-0", "1")]))));
    let allocated = allocates(&given("new", "node-a", &json!([result("dev-1")]), &[]));
    for asked in [published, allocated] {
        let decision = held.judge(&asked);
        assert!(decision.rulings.iter().all(|ruling| ruling.finding.rule.id != "DG503"), "{decision:?}");
    }
}

#[test]
fn a_new_mapped_allocation_waits() {
    for reason in Reason::ALL {
        let decision = Held::of(reason).judge(&allocates(&given("new", "node-a", &json!([result("dev-1")]), &[])));
        // What does not fit is refused besides.
        let waits = if reason == Reason::Overcommitted { (403, "Forbidden") } else { (429, "TooManyRequests") };
        assert_eq!(decision.refusal, Some(waits), "{reason:?}: {decision:?}");
        // Of a pool that is gone the device is: that is told first, and nobody knows what it maps.
        if reason == Reason::PoolGone {
            assert!(decision.rulings.iter().any(|ruling| ruling.finding.rule.id == "DG304"), "{decision:?}");
            continue;
        }
        let mut findings = decision.rulings.iter().map(|ruling| &ruling.finding);
        assert!(findings.any(|finding| finding.rule.id == "DG320" && finding.value == reason.as_str()), "{decision:?}");
    }
}

#[test]
fn all_else_passes() {
    for reason in Reason::ALL {
        let held_by = Held::of(reason);
        let free = claim("held", &json!({}));
        let unreserved = given("held", "node-a", &json!([result("dev-0")]), &[]);
        held_by.passes("release", &ask("resourceclaims/status", CLAIM_CONTROLLER, Some(held()), Some(free)));
        held_by.passes("reservation removed", &changes(&held(), &unreserved));
        held_by.passes("reserved again", &changes(&unreserved, &held()));
        held_by.passes("device status", &reports());
        let mut leaving = held();
        leaving["metadata"]["finalizers"] = json!([]);
        held_by.passes("finalizer removed", &ask("resourceclaims", "admin", Some(held()), Some(leaving)));
        held_by.passes("delete", &ask("resourceclaims", "admin", Some(held()), None));
        held_by.passes("slice", &ask("resourceslices", "admin", None, Some(slice("node-a", &devices()))));
        let unmapped = json!([{"request": "r", "driver": "plain.example.com", "pool": "node-a", "device": "plain"}]);
        held_by.passes("unmapped allocation", &allocates(&given("new", "node-a", &unmapped, &[])));
    }
}

/// The driver on node-a tells how its device is.
fn reports() -> Ask {
    let mut new = held();
    new["status"]["devices"] =
        json!([{"driver": "dra.cpu", "pool": "node-a", "device": "dev-0", "data": {"is": "well"}}]);
    ask("resourceclaims/status", "system:serviceaccount:ns:driver", Some(held()), Some(new)).on_node("node-a")
}

#[test]
fn a_halt_is_told_with_its_reason() {
    let objects = [node("node-a", "64"), slice("node-a", &devices())];
    let spec = json!({"claimAdmission": {"state": "Halted", "reason": "node-a overheats"}});
    let new = given("c", "node-a", &json!([result("dev-0")]), &[]);
    Cluster::with(&objects, &spec).asked(allocates(&new)).held("DG320", "Halted: node-a overheats");
    let open = json!({"claimAdmission": {"state": "Open", "reason": "all is well"}});
    Cluster::with(&objects, &open).asked(allocates(&new)).is_clean();
}
