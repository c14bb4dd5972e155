//! The thread that writes. Nobody ever waits for it: what it has no room for is dropped and counted, and then a new file
//! with a complete export is due, so that what can be replayed is always exact.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::disk::Disk;
use crate::ledger::apply::Changes;
use crate::ledger::event::Event;
use crate::ledger::journal::{self, Versions};
use crate::ledger::state::Ledger;

/// Lines are made durable this often.
const DURABLE: Duration = Duration::from_secs(1);
/// After a failure nothing is tried for this long, in milliseconds.
const PAUSE: i64 = 10_000;

/// Where a journal lies, and its bounds.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder.
    pub dir: PathBuf,
    /// A file that is larger than this, in bytes, is followed by a new one.
    pub largest: u64,
    /// How many files are kept.
    pub files: usize,
    /// How many events may wait to be written.
    pub waiting: usize,
}

impl Options {
    /// The usual bounds: four files of 64 MiB and the export they start with.
    #[must_use]
    pub fn of(dir: PathBuf) -> Self {
        Self { dir, largest: 64 << 20, files: 4, waiting: 4096 }
    }
}

/// What came of the events so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events written, those inside an export aside.
    pub written: u64,
    /// Events that are in no line; the export that follows has what they changed.
    pub dropped: u64,
    /// Writes that failed.
    pub failures: u64,
    /// Files started.
    pub files: u64,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    sender: SyncSender<Message>,
    waiting: usize,
    shared: Arc<Shared>,
}

#[expect(clippy::large_enum_variant, reason = "it is moved once, and the large one is the usual one")]
enum Message {
    Start(i64, Box<Ledger>),
    Event(Event, Versions),
    Settle(SyncSender<()>),
}

#[derive(Debug, Default)]
struct Shared {
    queued: AtomicUsize,
    /// True when the next thing to write is a new file.
    is_due: AtomicBool,
    /// True when what comes before that new file would be of no use: something is missing in the old one.
    is_lost: AtomicBool,
    /// When to try again, in milliseconds since 1970.
    not_before: AtomicI64,
    written: AtomicU64,
    dropped: AtomicU64,
    failures: AtomicU64,
    files: AtomicU64,
}

impl Journal {
    /// Starts the thread. It ends when the journal is dropped.
    pub(super) fn start(options: Options) -> Self {
        let shared = Arc::new(Shared::default());
        shared.is_due.store(true, Relaxed);
        shared.is_lost.store(true, Relaxed);
        let (sender, receiver) = sync_channel(options.waiting.max(1));
        let waiting = options.waiting;
        let mut writer = Writer { disk: Disk::new(options), shared: shared.clone(), at: 0, undurable: None };
        thread::spawn(move || writer.run(&receiver));
        Self { sender, waiting, shared }
    }

    /// Takes in an event that was applied to the ledger, and came to these changes. Never waits.
    pub fn record(&self, event: Event, changes: &Changes, ledger: &Ledger) {
        if !changes.is_new {
            return;
        }
        let shared = &self.shared;
        let is_late = shared.is_lost.load(Relaxed) && event.at < shared.not_before.load(Relaxed);
        if is_late || shared.queued.load(Relaxed) >= self.waiting {
            return shared.lose();
        }
        let message = if shared.is_due.swap(false, Relaxed) {
            shared.is_lost.store(false, Relaxed);
            Message::Start(event.at, Box::new(ledger.clone()))
        } else {
            Message::Event(event, journal::versions(changes, ledger))
        };
        shared.queued.fetch_add(1, Relaxed);
        if self.sender.try_send(message).is_err() {
            shared.queued.fetch_sub(1, Relaxed);
            shared.lose();
        }
    }

    /// What comes next goes to a new file with a complete export: the old one was written under other rules. To be
    /// called before the next event is applied.
    pub fn begin_anew(&self) {
        self.shared.is_due.store(true, Relaxed);
    }

    /// Waits until everything taken in so far is durable, or given up; no longer than this.
    pub fn settle(&self, most: Duration) {
        let (done, settled) = sync_channel(1);
        let start = Instant::now();
        let mut message = Message::Settle(done);
        while let Err(error) = self.sender.try_send(message) {
            let std::sync::mpsc::TrySendError::Full(back) = error else { return };
            message = back;
            if start.elapsed() > most {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        let _ = settled.recv_timeout(most.saturating_sub(start.elapsed()));
    }

    /// What came of the events so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let Shared { written, dropped, failures, files, .. } = &*self.shared;
        let count = |counter: &AtomicU64| counter.load(Relaxed);
        Counts { written: count(written), dropped: count(dropped), failures: count(failures), files: count(files) }
    }
}

impl Shared {
    /// An event is in no line. Nothing after it may be written to the same file.
    fn lose(&self) {
        self.dropped.fetch_add(1, Relaxed);
        self.is_lost.store(true, Relaxed);
        self.is_due.store(true, Relaxed);
    }
}

struct Writer {
    disk: Disk,
    shared: Arc<Shared>,
    /// The time of the last event.
    at: i64,
    /// Since when there are lines that are not durable.
    undurable: Option<Instant>,
}

impl Writer {
    fn run(&mut self, receiver: &Receiver<Message>) {
        loop {
            match self.next(receiver) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => self.make_durable(),
                Err(RecvTimeoutError::Disconnected) => return self.make_durable(),
            }
        }
    }

    /// The next message. When there is none at hand, what is written goes to the operating system first.
    fn next(&mut self, receiver: &Receiver<Message>) -> Result<Message, RecvTimeoutError> {
        let left = self.undurable.map(|since| DURABLE.saturating_sub(since.elapsed()));
        if left == Some(Duration::ZERO) {
            return Err(RecvTimeoutError::Timeout);
        }
        match receiver.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        let flushed = self.disk.flush();
        self.check(flushed);
        match left {
            Some(left) => receiver.recv_timeout(left),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Start(at, ledger) => {
                self.shared.queued.fetch_sub(1, Relaxed);
                self.start(at, &ledger);
            }
            Message::Event(event, nodes) => {
                self.shared.queued.fetch_sub(1, Relaxed);
                self.append(&event, &nodes);
            }
            Message::Settle(done) => {
                self.make_durable();
                let _ = done.try_send(());
            }
        }
    }

    fn start(&mut self, at: i64, ledger: &Ledger) {
        self.at = at;
        let started = self.disk.start(journal::export(ledger, at));
        if self.check(started) {
            self.shared.files.fetch_add(1, Relaxed);
            self.undurable = None;
        }
    }

    fn append(&mut self, event: &Event, nodes: &Versions) {
        self.at = event.at;
        if !self.disk.is_open() {
            return self.shared.lose();
        }
        let appended = self.disk.append(&journal::event(event, nodes));
        if self.check(appended) {
            self.shared.written.fetch_add(1, Relaxed);
            self.undurable.get_or_insert_with(Instant::now);
            if self.disk.is_full() {
                self.shared.is_due.store(true, Relaxed);
            }
        }
    }

    fn make_durable(&mut self) {
        self.undurable = None;
        let durable = self.disk.make_durable();
        self.check(durable);
    }

    /// Says what went wrong. The file is given up: what it lacks, a new one will have.
    fn check(&mut self, result: std::io::Result<()>) -> bool {
        let Err(error) = result else { return true };
        let dir = self.disk.dir().display();
        tracing::error!(%error, %dir, "the ledger's journal cannot be written; admission goes on without it");
        self.disk.close();
        self.undurable = None;
        self.shared.failures.fetch_add(1, Relaxed);
        self.shared.not_before.store(self.at.saturating_add(PAUSE), Relaxed);
        self.shared.is_lost.store(true, Relaxed);
        self.shared.is_due.store(true, Relaxed);
        false
    }
}
