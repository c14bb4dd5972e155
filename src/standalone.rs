//! A folder of objects in place of a cluster.

use std::path::Path;

use crate::checks::{Context, inspect, stored};
use crate::files::source::Input;
use crate::files::walk::{Unopened, walk};
use crate::files::{Read, documents};
use crate::ledger::inventory::Inventory;
use crate::ledger::object::Object;
use crate::ledger::state::Ledger;
use crate::model::access::Rights;
use crate::model::text::escaped;
use crate::model::version::Version;
use crate::settings::Settings;

/// The rule of documents that cannot be read.
const UNREADABLE: &str = "DG001";

/// The settings file of such a folder.
pub const SETTINGS: &str = "draguard.yaml";

/// Reads the nodes, slices, claims and pods below `dir`. A document that cannot be read is told in the log, and the
/// rest is read all the same.
///
/// # Errors
///
/// When the folder, or one below it, cannot be opened.
pub fn load(dir: &Path) -> Result<Loaded, Unopened> {
    let mut found = walk(&[dir.to_owned()]);
    if let Some(unopened) = found.unopened.pop() {
        return Err(unopened);
    }
    let mut loading = Loading::default();
    for input in found.inputs {
        loading.add(&input);
    }
    let ledger = stored::ledger(loading.kept, Version::V137);
    Ok(Loaded { inventory: loading.inventory, ledger })
}

/// What lies in such a folder.
#[derive(Debug)]
pub struct Loaded {
    /// For the rules that compare objects.
    pub inventory: Inventory,
    /// For the rules that ask what is charged.
    pub ledger: Ledger,
}

#[derive(Default)]
struct Loading {
    inventory: Inventory,
    settings: Settings,
    kept: Vec<Object>,
    count: usize,
}

impl Loading {
    fn add(&mut self, input: &Input) {
        let file = escaped(&input.name());
        match input.read() {
            Ok(bytes) => documents(&bytes, input.form(), &mut |read| self.take(&file, read)),
            Err(error) => tracing::warn!(file, %error, "left out"),
        }
    }

    fn take(&mut self, file: &str, read: Read<'_>) {
        let document = match read {
            Read::Document(document) => document,
            Read::Broken(broken) => return tracing::warn!(file, problem = escaped(&broken.problem), "left out"),
        };
        let context =
            Context { settings: &self.settings, target: None, inventory: None, scene: None, rights: Rights::Settings };
        let inspected = inspect(document.json, &context);
        for finding in inspected.findings.iter().filter(|finding| finding.rule.id == UNREADABLE) {
            tracing::warn!(file, %finding, "left out");
        }
        self.kept.extend(inspected.kept);
        if let Some(facts) = inspected.facts {
            self.count += 1;
            self.inventory.add(facts, self.count);
        }
    }
}
