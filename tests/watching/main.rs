//! What the watches make of an API server that errs. What they see of the real one is in `tests/cluster`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::match_bool,
    reason = "tests fail loudly"
)]

mod api_server;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use draguard::cluster::client::connect;
use draguard::cluster::fetch::FetchError;
use draguard::cluster::freshness::Freshness;
use draguard::cluster::{Cluster, Options};
use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Key, Kind};
use serde_json::{Value, json};

use crate::api_server::ApiServer;

const SOON: Duration = Duration::from_mins(1);

/// A cluster that is watched, and what was told.
struct Watching {
    cluster: Cluster,
    server: ApiServer,
    told: Arc<Mutex<Vec<Event>>>,
}

impl Watching {
    /// Starts to watch a server that `prepare` has prepared, with a window of seconds.
    async fn start(window: u64, prepare: impl FnOnce(&ApiServer)) -> Watching {
        let server = ApiServer::start().await;
        prepare(&server);
        let file = server.kubeconfig();
        let client = connect(Some(&file)).await.unwrap();
        std::fs::remove_file(file).unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&told);
        let options = Options { window: Duration::from_secs(window) };
        let cluster = Cluster::start(client, options, move |event| sink.lock().unwrap().push(event));
        let watching = Watching { cluster, server, told };
        watching.until("the first lists", |watching| watching.lists("pods") > 0).await;
        watching
    }

    async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            assert!(start.elapsed() < SOON, "waited for {what}; told so far: {:#?}", self.told.lock().unwrap());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn until_fresh(&self) {
        self.until("a recent view", |watching| watching.cluster.freshness() == Freshness::Fresh).await;
    }

    fn lists(&self, kind: &str) -> usize {
        self.server.store(kind, |store| store.lists)
    }

    /// What was told of a kind, in short.
    fn story(&self, kind: Kind) -> Vec<String> {
        let told = self.told.lock().unwrap();
        told.iter().filter_map(|event| short(kind, &event.change)).collect()
    }
}

fn short(of: Kind, change: &Change) -> Option<String> {
    let (kind, text) = match change {
        Change::Applied(object) => (object.kind(), format!("{}@{}", object.key(), object.stamp().version)),
        Change::Deleted(gone) => (gone.kind, format!("-{}@{}", gone.key, gone.stamp.version)),
        Change::Relisted(list) => {
            let names: Vec<String> = list.objects.iter().map(|object| object.key().to_string()).collect();
            (list.kind, format!("[{}]", names.join(" ")))
        }
    };
    (kind == of).then_some(text)
}

fn pod(name: &str) -> Value {
    json!({ "metadata": { "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": "5" },
        "spec": { "containers": [] } })
}

/// Not a pod: its spec is a number.
fn broken(name: &str) -> Value {
    let mut pod = pod(name);
    pod["spec"] = json!(5);
    pod
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_left_out_and_all_else_goes_on() {
    let prepare = |server: &ApiServer| {
        server.store("pods", |store| store.items = vec![pod("a"), broken("x"), pod("b")]);
    };
    let watching = Watching::start(120, prepare).await;
    watching.server.send("pods", "ADDED", broken("y"));
    watching.server.send("pods", "MODIFIED", broken("a"));
    watching.server.send("pods", "ADDED", pod("c"));
    watching.until("a pod after them", |watching| watching.story(Kind::Pod).len() == 2).await;
    let signs = watching.cluster.signs().of(Kind::Pod);
    assert_eq!(signs.left_out.keys(), ["a", "x", "y"].map(|name| Key::new("ns", name)));
    assert!(matches!(watching.cluster.live().pods_on("n", SOON).await, Err(FetchError::Form(_))));
    watching.server.send("pods", "DELETED", broken("a"));
    watching.until("the deletion", |watching| watching.story(Kind::Pod).len() == 3).await;
    assert_eq!(watching.story(Kind::Pod), ["[ns/a ns/b]", "ns/c@13", "-ns/a@14"]);
    assert_eq!((signs.failures.count(), signs.relists.count()), (0, 1));
    assert_eq!(signs.unreadable.count(), 4, "three by the watch, one by the live read");
    watching.server.send("pods", "MODIFIED", pod("x"));
    watching.until("the mended pod", |watching| watching.story(Kind::Pod).len() == 4).await;
    assert_eq!(signs.left_out.keys(), [Key::new("ns", "y")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_that_are_gone_are_listed_anew() {
    let watching = Watching::start(120, |_| {}).await;
    watching.server.send("pods", "ADDED", pod("a"));
    watching.until("the pod", |watching| watching.story(Kind::Pod).len() == 2).await;
    watching.server.store("pods", |store| (store.version, store.items) = (20, vec![pod("b")]));
    watching.server.send("pods", "ERROR", json!({ "kind": "Status", "code": 410, "metadata": {} }));
    watching.until("the list", |watching| watching.story(Kind::Pod).len() == 3).await;
    assert_eq!(watching.story(Kind::Pod), ["[]", "ns/a@11", "[ns/b]"]);
    watching.server.send("pods", "DELETED", pod("b"));
    watching.until("the deletion", |watching| watching.story(Kind::Pod).len() == 4).await;
    assert_eq!(watching.story(Kind::Pod)[3], "-ns/b@22");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_refused_as_too_old_is_listed_anew() {
    let watching = Watching::start(12, |_| {}).await;
    watching.until_fresh().await;
    watching.server.store("nodes", |store| {
        (store.version, store.oldest) = (50, 50);
        store.has_no_bookmarks = true;
    });
    watching.until("another list", |watching| watching.lists("nodes") == 2).await;
    watching.until_fresh().await;
    assert_eq!(watching.lists("pods"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_not_asked_for_again_and_again_while_no_watch_lives() {
    let watching = Watching::start(120, |server| server.store("nodes", |store| store.oldest = 1_000_000)).await;
    watching.until("three lists", |watching| watching.lists("nodes") == 3).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let lists = watching.lists("nodes");
    assert!(lists <= 6, "{lists} lists");
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_that_was_set_back_is_listed_anew() {
    let watching = Watching::start(4, |server| server.store("pods", |store| store.version = 100)).await;
    watching.server.store("pods", |store| (store.version, store.items) = (60, vec![pod("old")]));
    watching.until("the list", |watching| watching.story(Kind::Pod).len() == 2).await;
    assert_eq!(watching.story(Kind::Pod), ["[]", "[ns/old]"]);
    watching.until_fresh().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_make_one_list_and_an_expired_token_starts_again() {
    let prepare = |server: &ApiServer| {
        server.store("pods", |store| {
            store.items = (0..25).map(|number| pod(&format!("p{number}"))).collect();
            (store.page, store.expiring) = (10, 1);
        });
    };
    let watching = Watching::start(120, prepare).await;
    watching.until_fresh().await;
    let names: Vec<String> = (0..25).map(|number| format!("ns/p{number}")).collect();
    assert_eq!(watching.story(Kind::Pod), [format!("[{}]", names.join(" "))]);
    assert_eq!(watching.lists("pods"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_without_news_is_recent_and_one_that_misses_news_is_not() {
    let watching = Watching::start(4, |server| server.store("pods", |store| store.has_no_bookmarks = true)).await;
    watching.until_fresh().await;
    let failures = |kind| watching.cluster.signs().of(kind).failures.count();
    assert_eq!(Kind::ALL.map(failures), [0; 4]);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(8) {
        assert_eq!(watching.cluster.freshness(), Freshness::Fresh);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Lists know a version that the watch does not tell of, and never says so.
    watching.server.store("pods", |store| store.version += 1);
    watching.until("a stale view", is_stale_for_pods).await;
    watching.server.send("pods", "ADDED", pod("a"));
    watching.until_fresh().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_falls_silent_is_noticed() {
    let watching = Watching::start(4, |_| {}).await;
    watching.until_fresh().await;
    watching.server.store("pods", |store| store.is_silent = true);
    watching.until("a stale view", is_stale_for_pods).await;
    watching.server.store("pods", |store| store.is_silent = false);
    watching.until_fresh().await;
}

fn is_stale_for_pods(watching: &Watching) -> bool {
    matches!(watching.cluster.freshness(), Freshness::Stale { kind: Kind::Pod, .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_was_never_listed_is_missing() {
    let watching = Watching::start(4, |server| server.store("resourceclaims", |store| store.is_silent = true)).await;
    let missing = Freshness::Rebuilding { missing: vec![Kind::Claim] };
    watching.until("the others", |watching| watching.cluster.freshness() == missing).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(watching.cluster.freshness(), missing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_read_ends_in_time_however_many_wait() {
    let watching = Watching::start(120, |_| {}).await;
    let (live, time) = (watching.cluster.live(), Duration::from_millis(300));
    let start = Instant::now();
    let reads: Vec<_> = (0..100)
        .map(|_| {
            let live = live.clone();
            tokio::spawn(async move { live.node("n", time).await })
        })
        .collect();
    for read in reads {
        assert!(matches!(read.await.unwrap(), Err(FetchError::Late(_))));
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(live.node("../pods", time).await.unwrap(), None);
    assert_eq!(live.claim(&Key::new("a/b", "c"), time).await.unwrap(), None);
    assert_eq!(live.pods_on("n,spec.nodeName!=n", time).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_on_after_the_stop() {
    let watching = Watching::start(2, |_| {}).await;
    watching.until_fresh().await;
    let Watching { cluster, server, told } = watching;
    cluster.stop().await;
    let before = (server.requests(), told.lock().unwrap().len());
    assert_eq!(Arc::strong_count(&told), 1, "the sink is gone");
    server.send("pods", "ADDED", pod("a"));
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!((server.requests(), told.lock().unwrap().len()), before);
}
