//! A cold start: the real `draguard serve` beside a server that lists 30,000 slices, 50,000 claims and 50,000 pods.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::world::{self, DEVICES};

const SLICES: usize = 30_000;
const CLAIMS: usize = 50_000;

/// The items of each list, as text, made before the clock runs.
struct World {
    nodes: Vec<String>,
    slices: Vec<String>,
    claims: Vec<String>,
    pods: Vec<String>,
}

struct Page {
    limit: Option<usize>,
    from: Option<usize>,
    watch: bool,
}

impl Page {
    fn of(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let value = |name: &str| query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| value(name).and_then(|text| text.parse().ok());
        Self { limit: number("limit"), from: number("continue"), watch: value("watch").is_some() }
    }
}

pub fn run() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let world = Arc::new(World::new());
    let bytes: usize = world.lists().iter().flat_map(|list| list.iter().map(String::len)).sum();
    let address = {
        let _inside = runtime.enter();
        serve(Arc::clone(&world))
    };
    let dir = std::env::temp_dir().join(format!("draguard-bench-ledger-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (seconds, megabytes) = start(&dir, address);
    println!(
        "cold start: {SLICES} slices ({DEVICES} devices each), {CLAIMS} claims, {CLAIMS} pods, {} MB of JSON: ready after {seconds:.1} s, {megabytes} MB resident (server and client share the machine)",
        bytes >> 20,
    );
    std::fs::remove_dir_all(&dir).unwrap();
}

impl World {
    fn new() -> Self {
        let texts = |count: usize, make: &dyn Fn(usize) -> Value| (0..count).map(|n| make(n).to_string()).collect();
        let of = |n: usize| (n % SLICES, n / SLICES);
        Self {
            nodes: texts(SLICES, &world::node),
            slices: texts(SLICES, &world::slice),
            claims: texts(CLAIMS, &|n| world::claim(of(n).0, of(n).1, true)),
            pods: texts(CLAIMS, &|n| world::pod(of(n).0, of(n).1, true)),
        }
    }

    fn lists(&self) -> [&Vec<String>; 4] {
        [&self.nodes, &self.slices, &self.claims, &self.pods]
    }
}

fn serve(world: Arc<World>) -> SocketAddr {
    let group = json!({"kind": "APIGroup", "apiVersion": "v1", "name": "resource.k8s.io",
        "versions": [{"groupVersion": "resource.k8s.io/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "resource.k8s.io/v1", "version": "v1"}})
    .to_string();
    let list = |pick: fn(&World) -> &Vec<String>| {
        get(move |State(world): State<Arc<World>>, uri: Uri| async move { answer(pick(&world), &Page::of(&uri)).await })
    };
    let router = Router::new()
        .route("/apis/resource.k8s.io", get(|| async move { group.clone() }))
        .route("/api/v1/nodes", list(|world| &world.nodes))
        .route("/api/v1/pods", list(|world| &world.pods))
        .route("/apis/resource.k8s.io/v1/resourceslices", list(|world| &world.slices))
        .route("/apis/resource.k8s.io/v1/resourceclaims", list(|world| &world.claims))
        .with_state(world);
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum_server::from_tcp(listener).unwrap().serve(router.into_make_service()));
    address
}

/// One page of a list; a watch hears nothing.
async fn answer(items: &[String], page: &Page) -> Response {
    if page.watch {
        tokio::time::sleep(Duration::from_hours(1)).await;
    }
    let from = page.from.unwrap_or_default();
    let to = items.len().min(from + page.limit.unwrap_or(items.len()));
    let next = if to < items.len() { to.to_string() } else { String::new() };
    let head = format!(
        r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"9","continue":"{next}"}},"items":["#
    );
    [head.as_str(), &items[from..to].join(","), "]}"].concat().into_response()
}

/// Seconds until the real server is ready, and its resident megabytes then.
fn start(dir: &Path, api: SocketAddr) -> (f64, u64) {
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": format!("http://{api}")}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    });
    std::fs::write(dir.join("kubeconfig"), kubeconfig.to_string()).unwrap();
    let probes = free();
    let mut server = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["serve", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--self-signed"])
        .arg(dir.join("certs"))
        .arg(format!("--probe-listen={probes}"))
        .arg(format!("--kubeconfig={}", dir.join("kubeconfig").display()))
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    while !is_ready(probes) && since.elapsed() < Duration::from_mins(2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seconds = since.elapsed().as_secs_f64();
    let resident = resident(server.id());
    server.kill().unwrap();
    server.wait().unwrap();
    (seconds, resident)
}

fn free() -> SocketAddr {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

fn is_ready(probes: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(probes) else { return false };
    let mut text = String::new();
    let _ = write!(stream, "GET /readyz HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    let _ = stream.read_to_string(&mut text);
    text.starts_with("HTTP/1.1 200")
}

fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}
