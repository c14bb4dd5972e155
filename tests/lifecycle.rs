//! A server's life: certificates, slow clients, the end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod common;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use common::certs::{Authority, Pair, swap_secret};
use common::client::head;
use common::deletion;
use common::server::{Folder, Server};

const DAY: i64 = 86_400;

fn body() -> Vec<u8> {
    deletion().to_string().into_bytes()
}

/// A server on certificate files that lie in a mounted Secret.
fn on_secret(authority: &Authority, pair: &Pair) -> Server {
    let dir = Folder::new();
    swap_secret(dir.path(), "first", pair);
    fs::write(dir.path().join("ca.crt"), &authority.pem).unwrap();
    let path = |file: &str| dir.path().join(file).to_str().unwrap().to_owned();
    let (cert, key, ca) = (path("tls.crt"), path("tls.key"), path("ca.crt"));
    Server::with(dir, &["--tls-cert", &cert, "--tls-key", &key, "--reload-every=50ms"], Path::new(&ca))
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < until, "not within 20 s: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn f04_an_expired_certificate_is_not_ready_until_a_new_one_is_there() {
    let authority = Authority::new();
    let server = on_secret(&authority, &authority.sign(-2 * DAY, -DAY));
    let answer = server.ready();
    assert_eq!(answer.status, 503);
    assert!(answer.text().contains("expired"), "{}", answer.text());
    assert!(server.metric("draguard_certificate_expiry_seconds") < 0.0);
    swap_secret(server.dir.path(), "second", &authority.sign(-60, DAY));
    eventually("ready with the new certificate", || server.ready().status == 200);
    assert_eq!(server.post("/validate", &body()).status, 200);
}

#[test]
fn f04_the_clock_decides_also_while_nothing_else_changes() {
    let authority = Authority::new();
    let server = on_secret(&authority, &authority.sign(-60, 4));
    assert_eq!(server.ready().status, 200);
    eventually("expired", || server.ready().status == 503);
    swap_secret(server.dir.path(), "second", &authority.sign(3600, DAY));
    eventually("not valid yet", || server.ready().text().contains("not valid for another"));
}

#[test]
fn three_swaps_of_a_secret_in_a_row_are_all_served() {
    let authority = Authority::new();
    let server = on_secret(&authority, &authority.sign(-60, DAY));
    let mut kept = server.client();
    for (nth, days) in [(2, 10), (3, 20), (4, 30)] {
        swap_secret(server.dir.path(), &format!("version-{nth}"), &authority.sign(-60, days * DAY));
        #[expect(clippy::cast_precision_loss, reason = "a few days in seconds")]
        let least = ((days - 1) * DAY) as f64;
        eventually("the new certificate", || server.metric("draguard_certificate_expiry_seconds") > least);
        assert_eq!(server.post("/validate", &body()).status, 200, "a new connection after swap {nth}");
        assert_eq!(kept.post("/validate", &body()).unwrap().status, 200, "an old connection after swap {nth}");
    }
}

#[test]
fn a_broken_pair_leaves_the_last_good_one_in_service() {
    let authority = Authority::new();
    let server = on_secret(&authority, &authority.sign(-60, DAY));
    let (one, other) = (authority.sign(-60, DAY), authority.sign(-60, DAY));
    let mixed = Pair { cert: one.cert, key: other.key };
    swap_secret(server.dir.path(), "mixed", &mixed);
    eventually("a failure counted", || server.metric("draguard_certificate_reload_failures_total") >= 1.0);
    assert_eq!(server.post("/validate", &body()).status, 200);
    assert_eq!(server.ready().status, 200);
    swap_secret(server.dir.path(), "junk", &Pair { cert: "junk".to_owned(), key: String::new() });
    eventually("a second failure", || server.metric("draguard_certificate_reload_failures_total") >= 2.0);
    fs::remove_file(server.dir.path().join("..data")).unwrap();
    assert_eq!(server.post("/validate", &body()).status, 200);
    assert_eq!(server.ready().status, 200);
}

#[test]
fn f07_a_terminating_server_answers_and_asks_to_go_elsewhere() {
    let mut server = Server::start(&["--drain=3s"]);
    let mut kept: Vec<_> = (0..20).map(|_| server.client()).collect();
    for client in &mut kept {
        assert!(!client.post("/validate", &body()).unwrap().closes());
    }
    server.terminate();
    eventually("not ready", || server.ready().status == 503);
    assert!(server.ready().text().contains("shutting down"));
    for client in &mut kept {
        let answer = client.post("/validate", &body()).unwrap();
        assert_eq!(answer.status, 200);
        assert!(answer.closes(), "{answer:?}");
        assert!(client.is_closed());
    }
    // Who comes anew is served too, for Services notice late.
    let late = server.post("/validate", &body());
    assert!(late.status == 200 && late.closes());
    let (status, _) = server.wait(Duration::from_secs(10));
    assert!(status.success());
}

#[test]
fn f07_one_kept_connection_reopened_twenty_times_loses_no_request() {
    let mut server = Server::start(&["--drain=3s"]);
    let mut client = server.client();
    client.post("/validate", &body()).unwrap();
    server.terminate();
    eventually("not ready", || server.ready().status == 503);
    for _ in 0..20 {
        let answer = client.post("/validate", &body()).unwrap();
        assert!(answer.status == 200 && answer.closes());
        client = server.client();
    }
    drop(client);
    assert!(server.wait(Duration::from_secs(10)).0.success());
}

#[test]
fn a_request_under_way_at_the_end_is_still_answered() {
    let mut server = Server::start(&["--drain=0"]);
    let (body, mut client) = (body(), server.client());
    client.raw(head("/validate", "application/json", body.len()).as_bytes()).unwrap();
    client.raw(&body[..20]).unwrap();
    thread::sleep(Duration::from_millis(200));
    server.terminate();
    thread::sleep(Duration::from_millis(500));
    client.raw(&body[20..]).unwrap();
    assert_eq!(client.answer().unwrap().status, 200);
    assert!(server.wait(Duration::from_secs(10)).0.success());
}

#[test]
fn clients_that_stall_are_dropped_and_disturb_nobody() {
    let server = Server::start(&["--head-timeout=700ms"]);
    let mut silent = TcpStream::connect(server.webhook).unwrap();
    let mut shaken = server.client();
    let mut halfway = server.client();
    halfway.raw(b"POST /validate HTTP/1.1\r\nHost: h\r\nContent-").unwrap();
    let mut dripping = server.client();
    dripping.raw(head("/validate?timeout=1s", "application/json", 5000).as_bytes()).unwrap();
    dripping.raw(b"{").unwrap();
    assert_eq!(server.post("/validate", &body()).status, 200);
    let started = Instant::now();
    silent.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(silent.read(&mut [0; 8]).unwrap_or(0), 0, "no handshake");
    assert!(shaken.is_closed(), "no request");
    assert!(halfway.is_closed(), "half a head");
    assert_eq!(dripping.answer().unwrap().status, 408, "half a body");
    assert!(started.elapsed() < Duration::from_secs(15));
    assert_eq!(server.post("/validate", &body()).status, 200);
}

#[test]
fn an_idle_connection_is_closed_and_a_busy_one_is_not() {
    let server = Server::start(&["--idle-timeout=2s", "--head-timeout=2s"]);
    let mut client = server.client();
    for _ in 0..10 {
        assert_eq!(client.post("/validate", &body()).unwrap().status, 200);
        thread::sleep(Duration::from_millis(250));
    }
    let started = Instant::now();
    assert!(client.is_closed());
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn connections_are_bounded_and_places_come_free_again() {
    let server = Server::start(&["--max-connections=2"]);
    let (first, second) = (server.client(), server.client());
    assert!(server.try_client().and_then(|mut client| client.post("/validate", &body())).is_err());
    assert!(server.metric("draguard_shed_total{reason=\"connections\"}") >= 1.0);
    drop((first, second));
    eventually("a free place", || server.try_client().and_then(|mut one| one.post("/validate", &body())).is_ok());
}

#[test]
fn heads_are_bounded() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let long = format!("POST /validate HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "y".repeat(1_000_000));
    let answer = client.send(&long, b"");
    assert!(answer.map_or(true, |answer| answer.status == 431));
    let many = format!("POST /validate HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: y\r\n".repeat(500));
    let answer = server.client().send(&many, b"");
    assert!(answer.map_or(true, |answer| answer.status == 431));
}

#[test]
fn plain_http_on_the_tls_port_and_garbage_get_nothing_and_break_nothing() {
    let server = Server::start(&[]);
    for bytes in [b"GET /livez HTTP/1.0\r\n\r\n".as_slice(), &[0; 1000], &[0xff; 10]] {
        let mut tcp = TcpStream::connect(server.webhook).unwrap();
        tcp.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
        tcp.write_all(bytes).unwrap();
        let mut read = Vec::new();
        let _ = tcp.read_to_end(&mut read);
        assert!(!read.starts_with(b"HTTP"));
    }
    assert_eq!(server.post("/validate", &body()).status, 200);
}
