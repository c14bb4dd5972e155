//! The ledger of a folder of manifests.

use std::path::Path;

use crate::checks::ObjectRef;
use crate::files::source::Input;
use crate::files::walk::{Unopened, walk};
use crate::files::{Read, documents};
use crate::ledger::event::{Change, Event, Relisted};
use crate::ledger::object::{Kind, Object};
use crate::ledger::state::Ledger;
use crate::model::text::escaped;
use crate::model::version::Version;

/// A ledger of the nodes, slices, claims and pods below `dir`, and what had to be left out.
///
/// # Errors
///
/// When the folder, or one below it, cannot be opened.
pub fn load(dir: &Path, version: Version) -> Result<(Ledger, Vec<String>), Unopened> {
    let mut found = walk(&[dir.to_owned()]);
    if let Some(unopened) = found.unopened.pop() {
        return Err(unopened);
    }
    let mut loading = Loading::default();
    found.inputs.iter().for_each(|input| loading.add(input));
    Ok((loading.ledger(version), loading.left_out))
}

#[derive(Default)]
struct Loading {
    objects: Vec<Object>,
    left_out: Vec<String>,
}

impl Loading {
    fn add(&mut self, input: &Input) {
        let file = escaped(&input.name());
        match input.read() {
            Ok(bytes) => documents(&bytes, input.form(), &mut |read| self.take(&file, &read)),
            Err(error) => self.left_out.push(format!("{file}: {error}")),
        }
    }

    fn take(&mut self, file: &str, read: &Read<'_>) {
        let document = match read {
            Read::Document(document) => document,
            Read::Broken(broken) => return self.left_out.push(format!("{file}: {}", escaped(&broken.problem))),
        };
        let object = ObjectRef::read(document.json);
        let Some(kind) = kind(&object) else { return };
        match Object::read(kind, document.json) {
            Ok(object) => self.objects.push(object),
            Err(error) => self.left_out.push(format!("{file}: {} {}: {error}", object.kind, escaped(&object.name))),
        }
    }

    fn ledger(&mut self, version: Version) -> Ledger {
        let mut ledger = Ledger::new(version);
        for kind in Kind::ALL {
            let objects = self.objects.extract_if(.., |object| object.kind() == kind).collect();
            ledger.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, objects)) });
        }
        ledger
    }
}

fn kind(object: &ObjectRef) -> Option<Kind> {
    let group = object.api_version.split_once('/').map_or("", |(group, _)| group);
    match (group, object.kind.as_str()) {
        ("", "Node") => Some(Kind::Node),
        ("", "Pod") => Some(Kind::Pod),
        ("resource.k8s.io", "ResourceSlice") => Some(Kind::Slice),
        ("resource.k8s.io", "ResourceClaim") => Some(Kind::Claim),
        _ => None,
    }
}
