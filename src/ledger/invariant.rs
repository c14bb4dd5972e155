//! What holds of every ledger, whatever it was told. Each law is computed anew from objects and prices, and compared with
//! what the events left behind.

use std::collections::{BTreeMap, BTreeSet};

use super::account::{Account, Sums};
use super::amounts::{add, add_all};
use super::charge;
use super::contribution::{Entry, Lines};
use super::object::{Key, Name, Pod};
use super::requests::Amounts;
use super::state::Ledger;

/// A law that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {node}: {problem}")]
pub struct Broken {
    /// The node.
    pub node: Name,
    /// What is wrong.
    pub problem: String,
}

impl Ledger {
    /// Every law that is broken; none, unless the program is wrong.
    #[must_use]
    pub fn broken(&self) -> Vec<Broken> {
        let mut breaches = Breaches { node: "".into(), found: Vec::new() };
        let charged = self.charged_anew();
        let present = self.present_anew();
        let nodes: BTreeSet<&Name> = self.accounts.keys().chain(charged.keys()).chain(present.keys()).collect();
        let (nothing, nobody) = (Account::default(), Vec::new());
        for node in nodes {
            breaches.node = node.clone();
            let account = self.accounts.get(node).unwrap_or(&nothing);
            breaches.lines(account.contributions(), charged.get(node).unwrap_or(&Lines::new()));
            breaches.pods(account, present.get(node).unwrap_or(&nobody), self);
            breaches.sums(account);
        }
        self.twice(&mut breaches);
        breaches.found
    }

    /// The contributions that the objects and prices come to.
    fn charged_anew(&self) -> BTreeMap<Name, Lines> {
        let mut nodes: BTreeMap<Name, Lines> = BTreeMap::new();
        for claim in self.claims.iter() {
            let Some(priced) = self.priced.get(&claim.key) else { continue };
            let users: Vec<&Pod> = self.users(claim).collect();
            for (node, lines) in charge::of(claim, priced, &users).nodes {
                nodes.entry(node).or_default().extend(lines);
            }
        }
        nodes
    }

    /// The living pods of each node.
    fn present_anew(&self) -> BTreeMap<Name, Vec<&Pod>> {
        let mut nodes: BTreeMap<Name, Vec<&Pod>> = BTreeMap::new();
        for pod in self.pods.iter().filter(|pod| !pod.is_over()) {
            if let Some(node) = &pod.node {
                nodes.entry(node.clone()).or_default().push(pod);
            }
        }
        nodes
    }

    /// A device of one node is charged to one node; overhead to the node of its pod.
    fn twice(&self, breaches: &mut Breaches) {
        let mut seen: BTreeMap<&Entry, &Name> = BTreeMap::new();
        for (node, account) in &self.accounts {
            for entry in account.contributions().keys().filter(|entry| self.is_of_one_node(entry)) {
                if let Some(other) = seen.insert(entry, node) {
                    breaches.node = node.clone();
                    breaches.say(format!("claim {} is charged to node {other} too", entry.claim));
                }
            }
        }
    }

    fn is_of_one_node(&self, entry: &Entry) -> bool {
        let Some((claim, priced)) = self.claims.get(&entry.claim).zip(self.priced.get(&entry.claim)) else {
            return true;
        };
        let results = claim.given.iter().flatten().zip(&priced.results);
        let mut own = results.filter(|(given, _)| entry.device.as_ref().is_none_or(|device| given.key == *device));
        entry.pod.is_some() || own.all(|(_, price)| price.as_ref().is_some_and(|price| price.node().is_some()))
    }
}

struct Breaches {
    node: Name,
    found: Vec<Broken>,
}

impl Breaches {
    fn say(&mut self, problem: String) {
        self.found.push(Broken { node: self.node.clone(), problem });
    }

    fn lines(&mut self, kept: &Lines, anew: &Lines) {
        for entry in kept.keys().filter(|entry| !anew.contains_key(entry)) {
            self.say(format!("claim {} is charged for {} without reason", entry.claim, entry.resource));
        }
        for (entry, line) in anew {
            match kept.get(entry) {
                None => self.say(format!("claim {} is not charged for {}", entry.claim, entry.resource)),
                Some(kept) if kept != line => {
                    let (is, should) = (kept.amount, line.amount);
                    self.say(format!("claim {}: {} is {is}, should be {should}", entry.claim, entry.resource));
                }
                Some(_) => {}
            }
        }
        for (entry, line) in kept.iter().filter(|(_, line)| line.amount.signum() <= 0) {
            self.say(format!("claim {}: {} is {}, not positive", entry.claim, entry.resource, line.amount));
        }
    }

    fn pods(&mut self, account: &Account, present: &[&Pod], ledger: &Ledger) {
        let names: BTreeSet<&Key> = present.iter().map(|pod| &pod.key).collect();
        for pod in account.pods().filter(|pod| !names.contains(pod)) {
            self.say(format!("pod {pod} is counted and not there"));
        }
        for pod in present.iter().filter(|pod| !account.is_current(pod, ledger.version)) {
            self.say(format!("pod {} is not counted as it is", pod.key));
        }
    }

    fn sums(&mut self, account: &Account) {
        let sums = account.sums();
        let anew = anew(account.contributions());
        self.equal("mapping", &sums.mapping, &anew.mapping);
        self.equal("overhead", &sums.overhead, &anew.overhead);
        self.equal("administration", &sums.admin, &anew.admin);
        self.equal("what no pod uses", &sums.unused, &anew.unused);
        let mut zones = sums.unzoned.clone();
        sums.zones.values().for_each(|zone| add_all(&mut zones, zone));
        self.equal("the sum of the zones", &zones, &sums.mapping);
        let (mut apart, mut together) = (sums.requests.clone(), sums.charged.clone());
        add_all(&mut apart, &sums.mapping);
        add_all(&mut apart, &sums.overhead);
        add_all(&mut together, &sums.absorbed);
        for (resource, amount) in apart.iter().filter(|(resource, amount)| together.get(*resource) < Some(*amount)) {
            self.say(format!("{resource}: {amount} is taken, less is charged or absorbed"));
        }
        for (resource, amount) in sums.charged.iter().filter(|(_, amount)| amount.signum() < 0) {
            self.say(format!("{resource}: {amount} is charged, which is negative"));
        }
    }

    fn equal(&mut self, what: &str, is: &Amounts, should: &Amounts) {
        if is != should {
            self.say(format!("{what} is {}, should be {}", shown(is), shown(should)));
        }
    }
}

fn anew(lines: &Lines) -> Sums {
    let mut sums = Sums::default();
    for (entry, line) in lines {
        let (resource, amount) = (&entry.resource, &line.amount);
        add(if entry.pod.is_some() { &mut sums.overhead } else { &mut sums.mapping }, resource, amount);
        if line.is_admin {
            add(&mut sums.admin, resource, amount);
        }
        if line.payer.is_none() {
            add(&mut sums.unused, resource, amount);
        }
    }
    sums
}

/// Amounts in one line.
#[must_use]
pub fn shown(amounts: &Amounts) -> String {
    let each: Vec<String> = amounts.iter().map(|(resource, amount)| format!("{resource} {amount}")).collect();
    if each.is_empty() { "nothing".to_owned() } else { each.join(", ") }
}
