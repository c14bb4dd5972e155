//! `docs/kubernetes-facts.md`, written from the tables of facts and checked against them.

use std::fmt::Write;
use std::path::PathBuf;

use libtest_mimic::Failed;

use crate::fact::{Fact, Verdict};

/// Fails when the document is not what the tables say; `UPDATE_DOCS=1` writes it anew.
pub fn check(facts: &[Fact]) -> Result<(), Failed> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/kubernetes-facts.md");
    let text = render(facts);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder"))?;
        std::fs::write(&path, text)?;
        return Ok(());
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    match stored == text {
        true => Ok(()),
        false => Err("docs/kubernetes-facts.md is out of date: run \
            `UPDATE_DOCS=1 cargo test --test cluster facts_are_documented`"
            .into()),
    }
}

fn render(facts: &[Fact]) -> String {
    let mut text = String::from(HEAD);
    for fact in facts {
        let versions: Vec<&str> = fact.on.iter().map(|v| v.name()).collect();
        let verdict = match fact.verdict {
            Verdict::Proven => "proven".to_owned(),
            Verdict::Found => "found".to_owned(),
            Verdict::Differs(belief) => format!("differs from: {belief}"),
        };
        let (versions, says, name) = (versions.join(", "), fact.says, fact.name);
        let reference = fact.reference;
        writeln!(text, "| {says} | {versions} | {verdict} | {reference} | `{name}` |").expect("text");
    }
    text
}

const HEAD: &str = "\
# Facts about Kubernetes

What draguard relies on, each proved on every run of the tests against the real kube-apiserver, kube-scheduler,
kube-controller-manager, kubelet and etcd, v1.36.3 and v1.37.2, with the gate `DRANodeAllocatableResources` on. Written by
`UPDATE_DOCS=1 cargo test --test cluster facts_are_documented`; do not edit. `F…` and section numbers are those of
the list from which the facts were read in the source of Kubernetes; facts marked as found
were not in that list, they showed when the tests ran.

| fact | version | verdict | reference | test |
| --- | --- | --- | --- | --- |
";
