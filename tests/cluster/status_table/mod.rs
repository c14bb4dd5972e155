//! Who may write which part of a claim's status: every writer's every change, as the real API servers judge them.
//!
//! `expected.txt` is recorded from a real server with its gate `DRAResourceClaimGranularStatusAuthorization` on, and
//! compared with those of both versions on every run; draguard is compared with it in [`guarded`]. `UPDATE_STATUS_TABLE=1 cargo test --test cluster -- --exact
//! status_table_is_the_servers::v1.36` records it anew. Read in this order: [`ground`], [`claims`], [`changes`],
//! [`writers`].

mod admit;
mod changes;
mod claims;
mod ground;
mod guarded;
mod rights;
mod table;
mod write;
mod writers;

use std::path::PathBuf;

use draguard_testbed::{Answer, ControlPlane, Options, Version};
use libtest_mimic::{Failed, Trial};

use self::ground::Ground;
use self::table::{Cell, Table};
use self::write::Writes;
use crate::bed::Bed;
use crate::scenarios::turn;

const GATE: &str = "DRAResourceClaimGranularStatusAuthorization";

/// Two tests a version.
pub fn trials() -> Vec<Trial> {
    let servers = |version| trial("status_table_is_the_servers", version, |version| check(version, &servers(version)));
    let guards = |version| trial("status_table_is_draguards", version, guarded::check);
    Version::ALL.into_iter().flat_map(|version| [servers(version), guards(version)]).collect()
}

fn trial(name: &str, version: Version, run: fn(Version) -> Result<(), Failed>) -> Trial {
    Trial::test(format!("{name}::{version}"), move || {
        let _turn = turn(version);
        run(version)
    })
}

/// What the server itself says.
fn servers(version: Version) -> Table {
    let cluster = ControlPlane::start(&Options::new(version).api_only().api_gate(GATE, true));
    let bed = Bed::on(&cluster, "status_table");
    bed.add_node();
    let ground = Ground::lay(&bed);
    let clients = admit::admit(&bed, &ground);
    Writes::new(&ground, &bed.admin, &clients).fill(of_server)
}

fn check(version: Version, seen: &Table) -> Result<(), Failed> {
    let text = seen.text(HEAD);
    if std::env::var_os("UPDATE_STATUS_TABLE").is_some() && version == Version::V1_36 {
        std::fs::write(path(), text)?;
        return Ok(());
    }
    if std::fs::read_to_string(path()).unwrap_or_default() == text {
        return Ok(());
    }
    let differences = seen.differences(&stored());
    Err(format!("{} differ from {}:\n{}", differences.len(), path().display(), differences.join("\n")).into())
}

/// What was recorded.
fn stored() -> Table {
    Table::parse(&std::fs::read_to_string(path()).unwrap_or_default())
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/status_table/expected.txt")
}

/// The letters of `HEAD`.
fn of_server(answer: &Answer) -> Cell {
    match answer.code {
        200 => ".".to_owned(),
        403 => "-".to_owned(),
        422 => letters(answer),
        code => format!("{code}"),
    }
}

fn letters(answer: &Answer) -> Cell {
    let causes = answer.body["details"]["causes"].as_array().expect("causes");
    let mut letters: Vec<char> = causes.iter().map(|cause| letter(cause["message"].as_str().unwrap_or(""))).collect();
    letters.sort_unstable();
    // Why else a write is invalid does not matter here, and how often.
    letters.dedup_by(|a, b| a == b && *a == 'x');
    letters.into_iter().collect()
}

fn letter(cause: &str) -> char {
    let asks = |text: &str| cause.contains(text);
    match () {
        () if asks("requires resource=\"resourceclaims/binding\"") => 'B',
        () if asks("requires resource=\"resourceclaims/driver\", verb=\"[associated-node:") => 'D',
        () if asks("requires resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:") => 'N',
        () => 'x',
    }
}

const HEAD: &str = "\
# What kube-apiserver, v1.36.3 and v1.37.2, says to writes of a claim's status, with the gate
# DRAResourceClaimGranularStatusAuthorization on. Written by
# `UPDATE_STATUS_TABLE=1 cargo test --test cluster -- --exact status_table_is_the_servers::v1.36`; do not edit.
#
# Every line is a change, named after the claim that it changes (tests/cluster/status_table/claims.rs), every column a
# writer. A cell says:
#   .  it would be stored
#   B  the right on resourceclaims/binding is missing
#   D  the right on resourceclaims/driver is missing for a driver, and the writer is on the claim's node; once a driver
#   N  the same, and the writer is not on the claim's node, as far as the server can tell
#   x  it is invalid, whoever writes it
#   -  the writer may not write claim status at all
#
";
