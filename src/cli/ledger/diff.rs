//! `draguard ledger diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::LedgerError;
use crate::cli::written;
use crate::journal::read_file;
use crate::ledger::contribution::Entry;
use crate::ledger::object::Name;
use crate::ledger::state::Ledger;
use crate::model::quantity::Quantity;

/// Compare two ledgers, or one with what its pods' status lists say.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// An export or a file of the journal; `-` for standard input.
    #[arg(value_name = "A")]
    one: PathBuf,
    /// Another one.
    #[arg(value_name = "B", required_unless_present = "pods", conflicts_with = "pods")]
    other: Option<PathBuf>,
    /// Compare with the lists in the pods' status, which the scheduler and the kubelet believe.
    #[arg(long)]
    pods: bool,
}

impl Diff {
    pub(super) fn run(self) -> Result<ExitCode, LedgerError> {
        let one = read_file(&self.one)?.ledger;
        let lines = match self.other {
            None => one.drift().iter().map(|drift| format!("{drift}\n")).collect(),
            Some(other) if other == self.one => return Err(LedgerError::Same(other)),
            Some(other) => differences(&one, &read_file(&other)?.ledger)?,
        };
        let end = match lines.len() {
            0 => "no difference\n".to_owned(),
            1 => "1 difference\n".to_owned(),
            count => format!("{count} differences\n"),
        };
        written(write!(io::stdout().lock(), "{}{end}", lines.concat()))?;
        Ok(ExitCode::from(u8::from(!lines.is_empty())))
    }
}

fn differences(one: &Ledger, other: &Ledger) -> Result<Vec<String>, LedgerError> {
    let releases = [one, other].map(|ledger| ledger.version().as_str());
    if let [one, other] = releases
        && one != other
    {
        return Err(LedgerError::Releases(one, other));
    }
    let mut lines = Vec::new();
    compare(&sums(one), &sums(other), &mut lines);
    compare(&claims(one), &claims(other), &mut lines);
    Ok(lines)
}

type Amounts = BTreeMap<String, Quantity>;

fn compare(one: &Amounts, other: &Amounts, lines: &mut Vec<String>) {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for name in names {
        let (one, other) = (one.get(name), other.get(name));
        if one != other {
            let shown = |amount: Option<&Quantity>| amount.map_or_else(|| "nothing".to_owned(), Quantity::to_string);
            lines.push(format!("{name}: {} in A, {} in B\n", shown(one), shown(other)));
        }
    }
}

/// The sums of each node that are not zero, by what they are.
fn sums(ledger: &Ledger) -> Amounts {
    let mut all = Amounts::new();
    for (node, account) in ledger.accounts() {
        let sums = account.sums();
        let named = [
            ("requests", &sums.requests),
            ("mapping", &sums.mapping),
            ("overhead", &sums.overhead),
            ("charged", &sums.charged),
        ];
        for (what, amounts) in named {
            let amounts = amounts.iter().filter(|(_, amount)| !amount.is_zero());
            all.extend(amounts.map(|(resource, amount)| (format!("node {node} {resource} {what}"), *amount)));
        }
    }
    all
}

/// Every contribution, by what it is counted under.
fn claims(ledger: &Ledger) -> Amounts {
    let accounts = ledger.accounts().iter();
    let lines = accounts.flat_map(|(node, account)| account.contributions().iter().map(move |line| (node, line)));
    lines.map(|(node, (entry, line))| (name(node, entry, &line.uid), line.amount)).collect()
}

fn name(node: &Name, entry: &Entry, uid: &Name) -> String {
    let mut name = format!("claim {} ({uid}) on node {node}, {}", entry.claim, entry.resource);
    if let Some(device) = &entry.device {
        let _ = write!(name, " of {device}");
    }
    if let Some(share) = &entry.share {
        let _ = write!(name, " share {share}");
    }
    if let Some(pod) = &entry.pod {
        let _ = write!(name, ", overhead of pod {pod}");
    }
    name
}
