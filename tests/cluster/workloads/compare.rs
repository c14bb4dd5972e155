//! The ledger beside what the scheduler wrote, and beside what it counts.

use std::collections::{BTreeMap, BTreeSet};

use draguard::ledger::account::Account;
use draguard::ledger::holds::Reason;
use draguard::ledger::object::{Key, Name};
use draguard::ledger::requests::Amounts;
use draguard::model::quantity::Quantity;
use draguard::model::resource::Kind;
use draguard_testbed::objects::recorded;
use draguard_testbed::{CachedNode, Version};
use serde_json::Value;

use super::history::Books;

/// What was compared, and how often it was not the same.
#[derive(Debug, Default)]
pub struct Found {
    /// Bound pods, each time they were compared.
    pub pods: usize,
    /// Their claims that take something.
    pub claims: usize,
    /// Node sums.
    pub nodes: usize,
    /// Claims that v1.36 leaves out although their devices are mapped.
    pub left_out: BTreeSet<String>,
    /// What was not the same.
    pub differences: Vec<String>,
}

/// What a claim takes of a node: for its devices, and for one pod.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Takes {
    /// For its devices.
    pub mapping: Amounts,
    /// For the pod.
    pub overhead: Amounts,
}

/// Compares claim by claim and node by node.
pub struct Comparison<'c> {
    pub version: Version,
    pub books: &'c Books,
    pub found: &'c mut Found,
    /// By pod, what the scheduler leaves out.
    left_out: BTreeMap<Key, Amounts>,
}

impl<'c> Comparison<'c> {
    pub fn new(version: Version, books: &'c Books, found: &'c mut Found) -> Comparison<'c> {
        Comparison { version, books, found, left_out: BTreeMap::new() }
    }

    /// Compares all of these pods, which are bound and not over, and then all nodes.
    pub fn all(mut self, pods: &[Value], cache: &[CachedNode]) {
        for pod in pods {
            self.pod(pod);
        }
        for node in cache {
            self.node(node);
        }
        self.holds();
    }

    /// The real scheduler and whole pools give no reason to hold anything, but for mappings that were taken away.
    fn holds(&mut self) {
        let holds = self.books.believing.holds().into_iter().filter(|hold| hold.reason != Reason::MappingVanished);
        let held: Vec<String> = holds.map(|hold| format!("{}: {}", hold.subject, hold.seen)).collect();
        self.found.differences.extend(held);
    }

    fn pod(&mut self, pod: &Value) {
        let key = key_of(pod);
        let Some(known) = self.books.believing.pod(&key) else {
            return self.differ(format!("{key} is not known"));
        };
        self.found.pods += 1;
        let claims: BTreeSet<Name> = known.claims.iter().filter_map(|claim| claim.claim.clone()).collect();
        for claim in claims {
            let claim = Key { namespace: key.namespace.clone(), name: claim };
            self.claim(pod, &claim);
        }
    }

    fn claim(&mut self, pod: &Value, claim: &Key) {
        let computed = takes(&self.books.computing, pod, claim);
        let believed = takes(&self.books.believing, pod, claim);
        match entry_of(pod, &claim.name) {
            Some(entry) => {
                self.found.claims += 1;
                let wrote = wrote(entry);
                self.same(&computed, &wrote, &format!("{claim} of {}, computed", key_of(pod)));
                self.same(&believed, &wrote, &format!("{claim} of {}, believed", key_of(pod)));
            }
            None if computed == Takes::default() && believed == computed => {}
            None => self.without_entry(pod, claim, &computed, believed),
        }
    }

    /// v1.36 counts a claim only in the attempt that allocates it. What it wrote then is the truth.
    fn without_entry(&mut self, pod: &Value, claim: &Key, computed: &Takes, believed: Takes) {
        let what = format!("{claim} of {}, left out", key_of(pod));
        match self.books.written.get(&*claim.name) {
            Some(entry) if self.version == Version::V1_36 => {
                self.found.left_out.insert(claim.to_string());
                self.same(computed, &wrote(entry), &what);
                self.leave_out(key_of(pod), believed.mapping);
            }
            _ => self.differ(format!("{what}: computed {}, believed {}", shown(computed), shown(&believed))),
        }
    }

    /// Where the pod asks as a whole, claims are in that.
    fn leave_out(&mut self, pod: Key, mut amounts: Amounts) {
        let whole = self.books.believing.pod(&pod).map(|pod| &pod.needs.pod_level);
        amounts.retain(|resource, _| whole.is_none_or(|whole| !whole.contains_key(resource)));
        add(self.left_out.entry(pod).or_default(), &amounts);
    }

    fn node(&mut self, node: &CachedNode) {
        self.found.nodes += 1;
        let Some(account) = self.books.believing.account(&node.name) else {
            if !node.requested.is_empty() {
                self.differ(format!("{} has no account, but {:?} are requested", node.name, node.requested));
            }
            return;
        };
        let counted = self.counted(account);
        if counted != node.requested {
            self.differ(format!("{}: the ledger has {counted:?}, the scheduler {:?}", node.name, node.requested));
        }
        self.sums_agree(&node.name, account);
    }

    /// The pods of an account as the scheduler counts them, each rounded up on its own.
    fn counted(&self, account: &Account) -> BTreeMap<String, i64> {
        let mut counted = BTreeMap::new();
        for pod in account.pods() {
            let mut taken = account.taken(pod).cloned().unwrap_or_default();
            for (resource, amount) in self.left_out.get(pod).into_iter().flatten() {
                let rest = taken[resource].checked_sub(amount).expect("no overflow");
                taken.insert(resource.clone(), rest);
            }
            for (resource, amount) in taken {
                let units = Kind::of(&resource).and_then(|kind| kind.counted(&amount)).expect("an amount");
                *counted.entry(resource).or_default() += units;
            }
        }
        counted.retain(|_, units| *units != 0);
        counted
    }

    /// What is charged is what the pods take and what nobody uses; what devices take is in a zone or in none.
    fn sums_agree(&mut self, node: &str, account: &Account) {
        let sums = account.sums();
        let mut charged = sums.unused.clone();
        for pod in account.pods() {
            add(&mut charged, account.taken(pod).unwrap_or(&Amounts::new()));
        }
        let mut zoned = sums.unzoned.clone();
        sums.zones.values().for_each(|zone| add(&mut zoned, zone));
        for (what, one, other) in [("charged", &sums.charged, &charged), ("zones", &sums.mapping, &zoned)] {
            if plain(one) != plain(other) {
                self.differ(format!("{node}: {what}: {one:?} is not {other:?}"));
            }
        }
    }

    fn same(&mut self, ledger: &Takes, scheduler: &Takes, what: &str) {
        if ledger != scheduler {
            self.differ(format!("{what}: the ledger has {}, the scheduler {}", shown(ledger), shown(scheduler)));
        }
    }

    fn differ(&mut self, difference: String) {
        self.found.differences.push(difference);
    }
}

/// What a ledger has of a claim on the node of a pod.
pub fn takes(ledger: &draguard::ledger::state::Ledger, pod: &Value, claim: &Key) -> Takes {
    let node = pod["spec"]["nodeName"].as_str().expect("a node");
    let uid = pod["metadata"]["uid"].as_str().expect("a uid");
    let mut takes = Takes::default();
    let account = ledger.account(node).into_iter();
    for (entry, line) in account.flat_map(Account::contributions).filter(|(entry, _)| entry.claim == *claim) {
        let part = match entry.pod.as_deref() {
            None => &mut takes.mapping,
            Some(of) if of == uid => &mut takes.overhead,
            Some(_) => continue,
        };
        add(part, &Amounts::from_iter([(entry.resource.to_string(), line.amount)]));
    }
    Takes { mapping: plain(&takes.mapping), overhead: plain(&takes.overhead) }
}

/// What an entry of a pod's list says, of either version.
pub fn wrote(entry: &Value) -> Takes {
    let mut takes = Takes::default();
    for (resource, amount) in entry["resources"].as_object().into_iter().flatten() {
        put(&mut takes.mapping, resource, amount, 1);
    }
    for row in entry["mapping"].as_array().into_iter().flatten() {
        put(&mut takes.mapping, row["name"].as_str().expect("a name"), &row["quantity"], 1);
    }
    let containers = entry["containers"].as_array().map_or(0, Vec::len);
    for row in entry["overhead"].as_array().into_iter().flatten() {
        let resource = row["name"].as_str().expect("a name");
        put(&mut takes.overhead, resource, &row["perPod"], 1);
        put(&mut takes.overhead, resource, &row["perContainer"], containers);
    }
    Takes { mapping: plain(&takes.mapping), overhead: plain(&takes.overhead) }
}

fn put(amounts: &mut Amounts, resource: &str, amount: &Value, times: usize) {
    let Some(text) = amount.as_str() else { return };
    let one = Amounts::from_iter([(resource.to_owned(), Quantity::parse(text).expect("a quantity"))]);
    (0..times).for_each(|_| add(amounts, &one));
}

fn add(sums: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let before = sums.get(resource).copied().unwrap_or(Quantity::whole(0));
        sums.insert(resource.clone(), before.checked_add(amount).expect("no overflow"));
    }
}

/// Without zeros.
fn plain(amounts: &Amounts) -> Amounts {
    amounts.iter().filter(|(_, amount)| !amount.is_zero()).map(|(name, amount)| (name.clone(), *amount)).collect()
}

fn shown(takes: &Takes) -> String {
    let part = |amounts: &Amounts| amounts.iter().map(|(name, amount)| format!("{name} {amount}")).collect::<Vec<_>>();
    format!("{:?} and {:?}", part(&takes.mapping), part(&takes.overhead))
}

/// The entry of a claim in a pod's list.
fn entry_of<'p>(pod: &'p Value, claim: &str) -> Option<&'p Value> {
    recorded(pod).as_array()?.iter().find(|entry| entry["resourceClaimName"] == claim)
}

/// The key of an object in a namespace.
pub fn key_of(object: &Value) -> Key {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    Key::new(&text("namespace"), &text("name"))
}
