//! An API server that does what no real one does when asked: it forgets, goes back, falls silent, sends nonsense.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

/// One kind's storage.
#[derive(Default)]
pub struct Store {
    /// The version that lists have.
    pub version: u64,
    /// The objects of a list.
    pub items: Vec<Value>,
    /// Watches from below it are refused.
    pub oldest: u64,
    /// Objects a page; 0 for all.
    pub page: usize,
    /// Continue tokens are refused so many times.
    pub expiring: usize,
    /// Nothing is answered any more.
    pub is_silent: bool,
    /// No bookmark is sent.
    pub has_no_bookmarks: bool,
    /// Lines of watches, with their versions.
    log: Vec<(u64, String)>,
    /// Lists so far, probes left out.
    pub lists: usize,
    /// All requests so far.
    pub requests: usize,
}

/// The server, whose kinds are named as in paths.
#[derive(Clone)]
pub struct ApiServer {
    stores: Arc<Mutex<HashMap<String, Store>>>,
    news: watch::Sender<()>,
    address: String,
}

type Arguments = HashMap<String, String>;

impl ApiServer {
    /// Starts it, with all kinds empty at version 10.
    pub async fn start() -> ApiServer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let kinds = ["nodes", "pods", "resourceslices", "resourceclaims"];
        let store = || Store { version: 10, ..Store::default() };
        let stores = kinds.into_iter().map(|kind| (kind.to_owned(), store())).collect();
        let server = ApiServer { stores: Arc::new(Mutex::new(stores)), news: watch::Sender::default(), address };
        let router = Router::new()
            .route("/apis/resource.k8s.io", get(group))
            .route("/api/v1/{kind}", get(answer))
            .route("/apis/resource.k8s.io/v1/{kind}", get(answer))
            .route("/api/v1/nodes/{name}", get(hang))
            .with_state(server.clone());
        tokio::spawn(async { axum::serve(listener, router).await });
        server
    }

    /// Changes a kind's storage.
    pub fn store<T>(&self, kind: &str, change: impl FnOnce(&mut Store) -> T) -> T {
        change(self.locked().get_mut(kind).unwrap())
    }

    /// Sends an object to the watches, and moves on by one version, which becomes the object's.
    pub fn send(&self, kind: &str, verb: &str, mut object: Value) {
        self.store(kind, |store| {
            store.version += 1;
            object["metadata"]["resourceVersion"] = json!(store.version.to_string());
            store.log.push((store.version, json!({ "type": verb, "object": object }).to_string() + "\n"));
        });
        self.news.send_replace(());
    }

    /// A kubeconfig in a folder of the test's own.
    pub fn kubeconfig(&self) -> PathBuf {
        let port = self.address.rsplit(':').next().unwrap();
        let file = std::env::temp_dir().join(format!("draguard-watching-{}-{port}", std::process::id()));
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{ "name": "c", "cluster": { "server": format!("http://{}", self.address) } }],
            "users": [{ "name": "c", "user": {} }],
            "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "c" } }],
        });
        fs::write(&file, config.to_string()).unwrap();
        file
    }

    /// Requests of all kinds so far.
    pub fn requests(&self) -> usize {
        self.locked().values().map(|store| store.requests).sum()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Store>> {
        self.stores.lock().unwrap()
    }
}

async fn group() -> Response {
    json!({ "versions": [{ "version": "v1beta1" }, { "version": "v1" }] }).to_string().into_response()
}

/// Reads of single nodes never end.
async fn hang() -> Response {
    std::future::pending().await
}

async fn answer(State(server): State<ApiServer>, Path(kind): Path<String>, address: Uri) -> Response {
    let query = arguments(&address);
    let is_silent = server.store(&kind, |store| {
        store.requests += 1;
        store.is_silent
    });
    if is_silent {
        std::future::pending::<()>().await;
    }
    match query.contains_key("watch") {
        true => begin_watch(&server, &kind, &query),
        false => server.store(&kind, |store| list(store, &query)),
    }
}

fn arguments(address: &Uri) -> Arguments {
    let pairs = address.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn list(store: &mut Store, query: &Arguments) -> Response {
    let from = query.get("continue").map(|token| token.parse::<usize>().unwrap());
    if from.is_some() && store.expiring > 0 {
        store.expiring -= 1;
        return gone();
    }
    let is_probe = query["limit"] == "1";
    store.lists += usize::from(!is_probe && from.is_none());
    let from = from.unwrap_or_default();
    let size = if store.page == 0 { store.items.len() } else { store.page };
    let items: Vec<&Value> = store.items.iter().skip(from).take(size).collect();
    let end = from + items.len();
    let token = if end < store.items.len() && !is_probe { end.to_string() } else { String::new() };
    let metadata = json!({ "resourceVersion": store.version.to_string(), "continue": token });
    json!({ "kind": "List", "metadata": metadata, "items": items }).to_string().into_response()
}

fn gone() -> Response {
    let status = json!({ "kind": "Status", "code": 410, "message": "too old resource version" });
    (StatusCode::GONE, status.to_string()).into_response()
}

fn begin_watch(server: &ApiServer, kind: &str, query: &Arguments) -> Response {
    let from: u64 = query["resourceVersion"].parse().unwrap();
    if from < server.store(kind, |store| store.oldest) {
        return gone();
    }
    let end = Duration::from_secs(query["timeoutSeconds"].parse().unwrap());
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(send_lines(server.clone(), kind.to_owned(), from, end, sender));
    Response::new(Body::new(Lines(receiver)))
}

async fn send_lines(server: ApiServer, kind: String, mut at: u64, end: Duration, to: mpsc::UnboundedSender<String>) {
    let mut news = server.news.subscribe();
    let end = tokio::time::sleep(end);
    tokio::pin!(end);
    loop {
        for (version, line) in server.store(&kind, |store| store.log.clone()) {
            if version > at && to.send(line).is_ok() {
                at = version;
            }
        }
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return },
            () = to.closed() => return,
            () = &mut end => break,
        }
    }
    let bookmark = json!({ "metadata": { "resourceVersion": server.store(&kind, |store| store.version).to_string() } });
    if !server.store(&kind, |store| store.has_no_bookmarks) {
        let _ = to.send(json!({ "type": "BOOKMARK", "object": bookmark }).to_string() + "\n");
    }
}

/// A body of lines as they come.
struct Lines(mpsc::UnboundedReceiver<String>);

impl hyper::body::Body for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(Bytes::from(line)))))
    }
}
