//! Events taken in, and verdicts on allocations, beside more and more nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use draguard::guard::{Guard, Proof};
use draguard::ledger::book::Book;
use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::state::Ledger;
use draguard::ledger::view::Freshness;
use draguard::model::version::Version;
use draguard::wire::review;

use crate::world::{self, DEVICES};

const SIZES: [usize; 4] = [100, 1_000, 5_000, 15_000];
/// Requests a second, as the goal says.
const RATE: u32 = 1_000;
const SECONDS: u32 = 5;

pub fn run() {
    println!("{:>8} {:>14} {:>12} {:>12} {:>12}", "nodes", "event", "verdict p50", "p99", "worst");
    let figures: Vec<_> = SIZES.into_iter().map(measure).collect();
    let (smallest, largest) = (figures[0], figures[SIZES.len() - 1]);
    println!(
        "ratio of {} nodes to {}: event {:.2}, verdict p50 {:.2}, p99 {:.2}",
        SIZES[SIZES.len() - 1],
        SIZES[0],
        largest.event / smallest.event,
        largest.p50 / smallest.p50,
        largest.p99 / smallest.p99,
    );
}

#[derive(Clone, Copy)]
struct Figures {
    event: f64,
    p50: f64,
    p99: f64,
}

fn measure(nodes: usize) -> Figures {
    let (ledger, event) = build(nodes);
    let book = Arc::new(Book::of(ledger, Freshness::Fresh));
    let guard = Guard { book: Some(Arc::clone(&book)), ..Guard::default() };
    let stop = Arc::new(AtomicBool::new(false));
    let events = writer(Arc::clone(&book), nodes, Arc::clone(&stop));
    let mut times = paced(&guard, nodes);
    stop.store(true, Ordering::Relaxed);
    events.join().unwrap();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    let figures = Figures { event, p50: at(0.5), p99: at(0.99) };
    println!("{nodes:>8} {event:>11.1} µs {:>9.1} µs {:>9.1} µs {:>9.1} µs", figures.p50, figures.p99, at(1.0));
    figures
}

/// The ledger of so many nodes, and what one event cost on the way, in µs.
fn build(nodes: usize) -> (Ledger, f64) {
    let mut ledger = Ledger::new(Version::V137);
    let mut objects = Vec::new();
    for n in 0..nodes {
        objects.push(read(Kind::Node, &world::node(n)));
        objects.push(read(Kind::Slice, &world::slice(n)));
        for d in 0..=DEVICES / 2 {
            objects.push(read(Kind::Claim, &world::claim(n, d, d < DEVICES / 2)));
            objects.push(read(Kind::Pod, &world::pod(n, d, d < DEVICES / 2)));
        }
    }
    let count = objects.len();
    let since = Instant::now();
    for object in objects {
        ledger.apply(Event { at: 1, change: Change::Applied(object) });
    }
    (ledger, since.elapsed().as_secs_f64() * 1e6 / count as f64)
}

fn read(kind: Kind, json: &serde_json::Value) -> Object {
    Object::read(kind, &json.to_string()).unwrap()
}

/// Requests at an even pace, each timed from the text of its review.
fn paced(guard: &Guard, nodes: usize) -> Vec<Duration> {
    let reviews: Vec<String> = (0..nodes.min(1_000)).map(|n| world::review(n * nodes / nodes.min(1_000))).collect();
    let start = Instant::now();
    let mut times = Vec::new();
    for nth in 0..RATE * SECONDS {
        let due = Duration::from_secs(1) * nth / RATE;
        thread::sleep(due.saturating_sub(start.elapsed()));
        let since = Instant::now();
        let request = review::read(reviews[nth as usize % reviews.len()].as_bytes()).unwrap();
        let decision = guard.validate(&request, Proof::Ledger, 1).decision().unwrap();
        times.push(since.elapsed());
        assert!(decision.allowed(), "{decision:?}");
    }
    times
}

/// Pods whose status changes, 500 a second, as kubelets write them.
fn writer(book: Arc<Book>, nodes: usize, stop: Arc<AtomicBool>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut version = 10;
        while !stop.load(Ordering::Relaxed) {
            let mut pod = world::pod(version % nodes, 0, true);
            pod["metadata"]["resourceVersion"] = version.to_string().into();
            pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = format!("{}m", 500 + version % 2).into();
            book.apply(Event { at: 2, change: Change::Applied(read(Kind::Pod, &pod)) });
            version += 1;
            thread::sleep(Duration::from_millis(2));
        }
    })
}
