//! A cluster as draguard's watches see it, beside what the API server lists.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use draguard::cluster::client::connect;
use draguard::cluster::freshness::Freshness;
use draguard::cluster::{Cluster, Options};
use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Key, Kind, Object};
use draguard_testbed::{Client, Workspace, wait_for, wait_until};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::bed::SOON;

/// Objects by kind and name.
pub type Objects = BTreeMap<(Kind, Key), Object>;

/// A running watch and what it was told.
pub struct View {
    // Before the runtime, on which it ends.
    cluster: Cluster,
    runtime: Runtime,
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    objects: Objects,
    changes: Vec<Change>,
}

impl View {
    /// Watches with the credentials of a kubeconfig.
    pub fn with(kubeconfig: &str, window: Duration) -> View {
        let workspace = Workspace::new().expect("make a temporary folder");
        let file = workspace.write("kubeconfig", kubeconfig).expect("write a kubeconfig");
        let runtime = Runtime::new().expect("a runtime");
        let client = runtime.block_on(connect(Some(Path::new(&file)))).expect("a client");
        let told = Arc::new(Mutex::new(Told::default()));
        let sink = Arc::clone(&told);
        let start = async {
            Cluster::start(client, Options { window }, move |event| sink.lock().expect("no panic").take(event))
        };
        let cluster = runtime.block_on(start);
        View { cluster, runtime, told }
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Runs what is asynchronous.
    pub fn run<T>(&self, task: impl Future<Output = T>) -> T {
        self.runtime.block_on(task)
    }

    /// Waits until an object is seen exactly as it is given.
    pub fn wait_for(&self, kind: Kind, object: &Value) {
        let wanted = read(kind, object);
        wait_until(
            "the object to be seen",
            SOON,
            || self.told().objects.get(&place(&wanted)).cloned(),
            |seen| seen.as_ref() == Some(&wanted),
        );
    }

    /// True when an object is seen exactly so.
    pub fn has(&self, object: &Object) -> bool {
        self.told().objects.get(&place(object)) == Some(object)
    }

    /// Waits until exactly what the API server lists is seen.
    pub fn wait_for_all(&self, admin: &Client) {
        wait_for("the view to be the cluster", SOON, || {
            let (seen, listed) = (self.told().objects.clone(), listed(admin));
            if seen == listed { Ok(()) } else { Err(format!("seen {:?}\nlisted {:?}", seen.keys(), listed.keys())) }
        });
    }

    /// Waits for a state of the view.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&Freshness) -> bool) -> Freshness {
        wait_until(what, SOON, || self.cluster.freshness(), holds)
    }

    /// Waits until the view is recent.
    pub fn wait_until_fresh(&self) {
        self.wait_until("a recent view", |state| *state == Freshness::Fresh);
    }

    /// What was told of one object outside of lists, in order.
    pub fn changes_of(&self, kind: Kind, key: &Key) -> Vec<Change> {
        let is_of = |change: &&Change| match change {
            Change::Applied(object) => (object.kind(), object.key()) == (kind, key),
            Change::Deleted(gone) => (gone.kind, &gone.key) == (kind, key),
            Change::Relisted(_) => false,
        };
        self.told().changes.iter().filter(is_of).cloned().collect()
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().expect("no panic")
    }
}

impl Told {
    fn take(&mut self, event: Event) {
        match event.change.clone() {
            Change::Applied(object) => drop(self.objects.insert(place(&object), object)),
            Change::Deleted(gone) => drop(self.objects.remove(&(gone.kind, gone.key))),
            Change::Relisted(list) => {
                self.objects.retain(|(kind, _), _| *kind != list.kind);
                self.objects.extend(list.objects.into_iter().map(|object| (place(&object), object)));
            }
        }
        self.changes.push(event.change);
    }
}

/// An object as draguard keeps it.
pub fn read(kind: Kind, object: &Value) -> Object {
    Object::read(kind, &object.to_string()).unwrap_or_else(|error| panic!("{error}: {object}"))
}

fn place(object: &Object) -> (Kind, Key) {
    (object.kind(), object.key().clone())
}

fn listed(admin: &Client) -> Objects {
    let paths = [
        (Kind::Node, "/api/v1/nodes"),
        (Kind::Slice, "/apis/resource.k8s.io/v1/resourceslices"),
        (Kind::Claim, "/apis/resource.k8s.io/v1/resourceclaims"),
        (Kind::Pod, "/api/v1/pods?fieldSelector=status.phase!%3DSucceeded,status.phase!%3DFailed"),
    ];
    let objects = paths.into_iter().flat_map(|(kind, path)| admin.list(path).into_iter().map(move |o| read(kind, &o)));
    objects.map(|object| (place(&object), object)).collect()
}
