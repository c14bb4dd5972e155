//! The real server under load, next to an echo route on the same stack that only reads the body.
//!
//! Needs `wrk`. Prints requests a second, p99 and the server's own CPU time for a request, as ratios of one run.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark fails loudly"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use axum_server::tls_rustls::RustlsConfig;
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REVIEW: &str = "tests/fixtures/v1.37/03-driver-publishes-128-devices-02-validate-create-resourceslices.json";
const SECONDS: u64 = 10;
const CONNECTIONS: u32 = 8;
/// Clock ticks a second in /proc, on every Linux that matters.
const TICKS: f64 = 100.0;

fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(dir) = arguments.iter().position(|word| word == "--echo").map(|at| &arguments[at + 1]) {
        return echo(Path::new(dir));
    }
    if Command::new("wrk").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        println!("over_tls: wrk is missing; apt-get install wrk");
        return;
    }
    compare();
}

fn compare() {
    let dir = std::env::temp_dir().join(format!("draguard-bench-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let script = script(&dir);
    let (webhook, address) = draguard(&dir);
    let (baseline, echo_address) = echo_process(&dir);
    let echo = load(&baseline, &format!("https://{echo_address}/echo"), &script);
    let ours = load(&webhook, &format!("https://{address}/validate?timeout=3s"), &script);
    println!("{:>10} {:>12} {:>10} {:>14}", "", "requests/s", "p99", "CPU/request");
    for (name, figures) in [("echo", &echo), ("draguard", &ours)] {
        let cpu = figures.cpu_ms;
        println!("{name:>10} {:>12.0} {:>10} {cpu:>11.3} ms", figures.rate, figures.p99);
    }
    println!("ratio to echo: throughput {:.2}, CPU {:.2}", ours.rate / echo.rate, ours.cpu_ms / echo.cpu_ms);
    println!("resident after {:.0} requests: {:.1} MB", ours.count, resident(webhook.0.id()));
    let _ = fs::remove_dir_all(&dir);
}

/// A child process, ended with the benchmark.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Figures {
    rate: f64,
    p99: String,
    cpu_ms: f64,
    count: f64,
}

fn script(dir: &Path) -> PathBuf {
    let review: Value = serde_json::from_str(&fs::read_to_string(REVIEW).unwrap()).unwrap();
    let body = dir.join("body.json");
    fs::write(&body, review.to_string()).unwrap();
    let script = dir.join("post.lua");
    let text = format!(
        "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\n\
         local file = io.open('{}', 'r')\nwrk.body = file:read('*a')\nfile:close()\n",
        body.display()
    );
    fs::write(&script, text).unwrap();
    script
}

fn draguard(dir: &Path) -> (Process, SocketAddr) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["serve", "--listen=127.0.0.1:0", "--probe-listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0"])
        .args(["--log-format=json", "--self-signed"])
        .arg(dir)
        .env("RUST_LOG", "draguard=info,draguard::decision=off")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| address(&line.unwrap())).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    (Process(child), address)
}

fn address(line: &str) -> Option<SocketAddr> {
    let line: Value = serde_json::from_str(line).ok()?;
    let fields = if line["fields"].is_object() { &line["fields"] } else { &line };
    fields["webhook"].as_str()?.parse().ok()
}

fn echo_process(dir: &Path) -> (Process, SocketAddr) {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .arg("--echo")
        .arg(dir)
        .env("ECHO_ADDRESS", free.to_string())
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(free).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    (Process(child), free)
}

/// The baseline: the same certificate, the same server crate, a handler that finds the uid and nothing else.
fn echo(dir: &Path) {
    let address: SocketAddr = std::env::var("ECHO_ADDRESS").unwrap().parse().unwrap();
    let serve = async {
        let config = RustlsConfig::from_pem_file(dir.join("tls.crt"), dir.join("tls.key")).await.unwrap();
        let router = Router::new().route("/echo", post(async |body: Bytes| uid(&body)));
        axum_server::bind_rustls(address, config).serve(router.into_make_service()).await.unwrap();
    };
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(serve);
}

fn uid(body: &Bytes) -> String {
    const KEY: &[u8] = b"\"uid\":\"";
    let start = body.windows(KEY.len()).position(|window| window == KEY).map_or(0, |at| at + KEY.len());
    String::from_utf8_lossy(&body[start..(start + 36).min(body.len())]).into_owned()
}

fn load(process: &Process, url: &str, script: &Path) -> Figures {
    wrk(url, script, 2);
    let before = ticks(process.0.id());
    let report = wrk(url, script, SECONDS);
    let spent = (ticks(process.0.id()) - before) / TICKS;
    let count = number(&report, " requests in");
    Figures { rate: count / SECONDS as f64, p99: word_after(&report, "99%"), cpu_ms: spent * 1e3 / count, count }
}

fn wrk(url: &str, script: &Path, seconds: u64) -> String {
    let output = Command::new("wrk")
        .args(["--latency", "-t1", &format!("-c{CONNECTIONS}"), &format!("-d{seconds}s"), "-s"])
        .arg(script)
        .arg(url)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!report.contains("Non-2xx") && report.contains("99%"), "{report}");
    report
}

fn number(report: &str, before: &str) -> f64 {
    let line = report.lines().find(|line| line.contains(before)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

fn word_after(report: &str, word: &str) -> String {
    let line = report.lines().find(|line| line.trim_start().starts_with(word)).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

/// utime and stime of a process, in clock ticks.
fn ticks(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
}

fn resident(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
