//! The journal on disk: it is never in anybody's way, and what it holds is exact.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use draguard::journal::{Journal, Opened, Options, open, read_file};
use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Key, Node, Object, Stamp};
use draguard::ledger::state::Ledger;
use draguard::model::version::Version;

use super::stream::assert_same;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("draguard-journal-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn options(&self) -> Options {
        Options::of(self.0.join("journal"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.join("journal")).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A ledger with a journal.
struct Server {
    ledger: Ledger,
    journal: Journal,
    version: u64,
}

impl Server {
    fn start(options: Options) -> Self {
        let Opened { replayed, journal } = open(options).unwrap();
        let ledger = replayed.map_or_else(|| Ledger::new(Version::V137), |replayed| replayed.ledger);
        Self { ledger, journal, version: 0 }
    }

    /// A node changes.
    fn tell(&mut self, at: i64) {
        self.version += 1;
        let (key, stamp) = (Key::cluster("node-a"), Stamp { uid: "u".into(), version: self.version });
        let (is_ready, allocatable) = (self.version.is_multiple_of(2), std::iter::empty().collect());
        let node =
            Node { key, stamp, is_ready, allocatable, declared: None, labels: std::collections::BTreeMap::new() };
        let event = Event { at, change: Change::Applied(Object::Node(node)) };
        let changes = self.ledger.apply(event.clone());
        self.journal.record(event, &changes, &self.ledger);
    }

    fn settle(&self) {
        self.journal.settle(Duration::from_mins(1));
    }
}

fn ledger(file: &Path) -> Ledger {
    let replayed = read_file(file).unwrap();
    assert_eq!(replayed.mismatches, []);
    replayed.ledger
}

#[test]
fn a_restart_goes_on_where_the_journal_ends() {
    let folder = Folder::new("restart");
    let mut first = Server::start(folder.options());
    (0..20).for_each(|at| first.tell(at));
    first.settle();
    assert_eq!(first.journal.counts().written, 19, "the first is in the export");
    let second = Server::start(folder.options());
    assert_same(&second.ledger, &first.ledger);
}

#[test]
fn files_follow_one_another_and_each_is_complete() {
    let folder = Folder::new("rotation");
    let mut server = Server::start(Options { largest: 1000, files: 3, ..folder.options() });
    for at in 0..200 {
        server.tell(at);
        server.settle();
    }
    let files = folder.files();
    assert_eq!(files.len(), 3);
    assert!(server.journal.counts().files > 5);
    assert_eq!(server.journal.counts().dropped, 0);
    files.iter().for_each(|file| drop(ledger(file)));
    assert_same(&ledger(files.last().unwrap()), &server.ledger);
    assert!(fs::metadata(&files[0]).unwrap().len() < 8000);
}

#[test]
fn a_file_that_was_cut_off_gives_what_was_whole() {
    let folder = Folder::new("cut");
    let mut server = Server::start(folder.options());
    (0..5).for_each(|at| server.tell(at));
    server.settle();
    let file = folder.files()[0].clone();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 10]).unwrap();
    let opened = open(folder.options()).unwrap();
    let replayed = opened.replayed.unwrap();
    assert!(replayed.is_torn && replayed.events == 3);

    // A newer file that stops inside its export is passed over.
    fs::write(&file, &text).unwrap();
    fs::write(file.with_file_name("ledger-000002.jsonl"), &text[..200]).unwrap();
    assert_same(&open(folder.options()).unwrap().replayed.unwrap().ledger, &server.ledger);
}

#[test]
fn g10_a_folder_of_a_newer_draguard_is_refused_and_left_alone() {
    let folder = Folder::new("newer");
    let dir = folder.options().dir;
    fs::create_dir_all(&dir).unwrap();
    let newer = dir.join("ledger-000007.jsonl");
    let text = "{\"draguard\":\"ledger\",\"format\":2,\"kubernetes\":\"v1.38\"}\n{\"new\":1}\n";
    fs::write(&newer, text).unwrap();
    let error = open(folder.options()).unwrap_err().to_string();
    assert!(
        error
            .ends_with("ledger-000007.jsonl: line 1: written in format 2 by a newer draguard; this one reads format 1"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&newer).unwrap(), text);
    assert_eq!(folder.files(), [newer]);
}

#[test]
fn another_release_begins_another_file() {
    let folder = Folder::new("release");
    let mut server = Server::start(folder.options());
    server.tell(1);
    server.ledger.serve(Version::V136);
    server.journal.begin_anew();
    server.tell(2);
    server.tell(3);
    server.journal.settle(Duration::from_secs(5));
    let replayed = ledger(folder.files().last().unwrap());
    assert_eq!(replayed.version(), Version::V136);
    assert_same(&replayed, &server.ledger);
    assert_eq!(server.journal.counts().files, 2);
}

#[test]
fn a_damaged_file_is_refused_with_its_line() {
    let folder = Folder::new("damaged");
    let mut server = Server::start(folder.options());
    (0..5).for_each(|at| server.tell(at));
    server.settle();
    let file = folder.files()[0].clone();
    let damaged = fs::read_to_string(&file).unwrap().replacen("\"at\":2", "\"at\":x", 1);
    fs::write(&file, damaged).unwrap();
    let error = open(folder.options()).unwrap_err().to_string();
    assert!(error.contains("ledger-000001.jsonl: line ") && error.contains("cannot be read"), "{error}");
}

#[test]
fn a_path_that_cannot_be_written_stops_nothing_and_heals() {
    let folder = Folder::new("unwritable");
    let dir = folder.options().dir;
    fs::write(&dir, "a file where the folder should be").unwrap();
    let mut server = Server::start(folder.options());
    (0..50).for_each(|at| server.tell(at));
    server.settle();
    let counts = server.journal.counts();
    assert_eq!((counts.failures, counts.written, counts.files), (1, 0, 0), "no second try at once");
    fs::remove_file(&dir).unwrap();
    (20_000..20_010).for_each(|at| server.tell(at));
    server.settle();
    assert_eq!(server.journal.counts().failures, 1);
    assert_same(&ledger(&folder.files()[0]), &server.ledger);
}

#[test]
fn what_there_is_no_room_for_is_dropped_and_the_next_file_has_it_all() {
    let folder = Folder::new("flood");
    let mut server = Server::start(Options { waiting: 2, ..folder.options() });
    (0..2000).for_each(|at| server.tell(at));
    server.settle();
    assert!(server.journal.counts().dropped > 0);
    server.tell(2001);
    server.settle();
    assert_same(&ledger(folder.files().last().unwrap()), &server.ledger);
}

/// A disk of 64 KiB. Only root can have one.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_stops_nothing_and_heals() {
    struct Disk(PathBuf);
    impl Drop for Disk {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg(&self.0).status();
        }
    }
    let folder = Folder::new("full");
    let dir = folder.options().dir;
    fs::create_dir_all(&dir).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=64k", "draguard-test"];
    let mounted = std::process::Command::new("mount").args(mount).arg(&dir).output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        eprintln!("skipped: this user cannot mount a disk");
        return;
    }
    let _disk = Disk(dir.clone());
    let mut server = Server::start(folder.options());
    for at in 0..1000 {
        server.tell(at);
        server.settle();
    }
    let counts = server.journal.counts();
    assert_eq!(counts.failures, 1, "{counts:?}");
    assert!(counts.dropped > 0);
    let full = &folder.files()[0];
    assert!(read_file(full).is_ok(), "what was written before is whole, its last line aside");
    fs::remove_file(full).unwrap();
    server.tell(60_000);
    server.settle();
    assert_same(&ledger(folder.files().last().unwrap()), &server.ledger);
}
