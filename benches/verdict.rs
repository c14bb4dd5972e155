//! Envelope, decoding, decoding with all checks, and the whole verdict, on slices of 1, 16 and 128 devices in both shapes.
//!
//! `make bench` runs it; ratios are against a bare `serde_json::Value` parse of the same text, in the same run.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark fails loudly")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use draguard::guard::{Guard, Proof};
use draguard::model::quantity::Quantity;
use draguard::model::read::read;
use draguard::model::slice::Slice;
use draguard::wire::review;
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STORY: &str = "03-driver-publishes-128-devices-02-validate-create-resourceslices.json";

/// The recorded review of 128 devices cut to `devices`, compact as the API server sends it.
fn recorded(version: &str, devices: usize) -> String {
    let file = format!("{}/tests/fixtures/{version}/{STORY}", env!("CARGO_MANIFEST_DIR"));
    let mut review: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    review["request"]["object"]["spec"]["devices"].as_array_mut().unwrap().truncate(devices);
    review.to_string()
}

fn stages(criterion: &mut Criterion) {
    let guard = Guard::default();
    for version in ["v1.36", "v1.37"] {
        let mut group = criterion.benchmark_group(version);
        for devices in [1, 16, 128] {
            let body = recorded(version, devices);
            let request = review::read(body.as_bytes()).unwrap();
            let object = request.object.unwrap();
            group.throughput(Throughput::Bytes(body.len() as u64));
            let id = |stage: &str| BenchmarkId::new(stage, devices);
            group.bench_function(id("value"), |run| {
                run.iter(|| serde_json::from_str::<Value>(black_box(&body)).unwrap());
            });
            group.bench_function(id("envelope"), |run| run.iter(|| review::read(black_box(body.as_bytes())).unwrap()));
            group.bench_function(id("decode"), |run| run.iter(|| read::<Slice<'_>>(black_box(object)).unwrap()));
            group
                .bench_function(id("checks"), |run| run.iter(|| guard.validate(black_box(&request), Proof::Ledger, 0)));
            group.bench_function(id("verdict"), |run| run.iter(|| verdict(&guard, black_box(&body))));
        }
        group.finish();
    }
}

fn quantities(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("quantity");
    for text in ["1", "500m", "64Gi", "1.5e3"] {
        group.bench_function(text, |run| run.iter(|| Quantity::parse(black_box(text))));
    }
    group.finish();
}

fn verdict(guard: &Guard, body: &str) -> usize {
    let request = review::read(body.as_bytes()).unwrap();
    guard.validate(&request, Proof::Ledger, 0).decision().unwrap().rulings.len()
}

/// The figure that matters, in one line: the whole verdict against a bare parse.
fn ratio(_: &mut Criterion) {
    let guard = Guard::default();
    for version in ["v1.36", "v1.37"] {
        let body = recorded(version, 128);
        let ours = best(|| {
            black_box(verdict(&guard, &body));
        });
        let bare = best(|| drop(black_box(serde_json::from_str::<Value>(&body).unwrap())));
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!(
            "{version}, 128 devices, {} bytes: verdict {ours:?}, bare parse {bare:?}, ratio {ratio:.2}",
            body.len()
        );
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let since = Instant::now();
        work();
        since.elapsed()
    };
    (0..2000).map(|_| once(&mut work)).min().unwrap()
}

criterion_group!(benches, stages, quantities, ratio);
criterion_main!(benches);
