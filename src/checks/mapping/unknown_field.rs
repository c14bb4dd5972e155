//! DG121: fields that no served shape knows.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{DeviceView, MappingView};
use super::super::{Context, SLICE};
use crate::model::decode::Text;
use crate::model::near::nearest;
use crate::model::path::Path;
use crate::model::shape::SLICE_SHAPES;
use crate::model::slice::{Device, Slice, SliceSpec};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG121",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a field that no served version knows, in or beside a mapping",
        detail: "The API server drops unknown fields before any webhook, in silence for most clients: the device then takes \
                 nothing. The text of KEP-5517 uses direct, perPodReference and perContainerReference, which no release ever \
                 served. Field names are case-sensitive. A mapping that is emptied so is filled in by v1.36 and refused by \
                 v1.37 before any webhook as well: this rule speaks in review.",
    },
    checks: &[Check::Mapping(check_mapping), Check::Device(check_device), Check::Slice(check_slice)],
};

/// Fields of a draft that was never released, and what to write instead.
const DRAFT: [(&str, &str); 4] = [
    ("direct", "v1.37 writes mapping.deviceMultiplier, v1.36 allocationMultiplier"),
    ("perPodReference", "v1.37 writes overhead.perPod; v1.36 has no overhead"),
    ("perContainerReference", "v1.37 writes overhead.perContainer; v1.36 has no overhead"),
    ("resourceName", "the resource is the key of the map"),
];

fn check_mapping(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let (raw, keys) = (view.mapping.raw, view.mapping.shape.keys);
    let present = [
        ("capacityKey", raw.capacity_key.is_some()),
        ("allocationMultiplier", raw.allocation_multiplier.is_some()),
        ("mapping", raw.mapping.is_written()),
        ("overhead", raw.overhead.is_written()),
    ];
    for (name, _) in present.iter().filter(|(name, present)| *present && !keys.contains(name)) {
        faults.push(misplaced(view, name));
    }
    unknown(&raw.unknown, &|| view.path(), keys, faults);
    if let Some(inner) = raw.mapping.get() {
        let keys = &["deviceMultiplier", "capacityKey", "capacityMultiplier"];
        unknown(&inner.unknown, &|| view.path().field("mapping"), keys, faults);
    }
    if let Some(overhead) = raw.overhead.get() {
        unknown(&overhead.unknown, &|| view.path().field("overhead"), &["perPod", "perContainer"], faults);
    }
}

/// A field that another shape has, under this one's name.
fn misplaced(view: &MappingView<'_>, name: &'static str) -> Fault {
    let shape = view.mapping.shape;
    let home = SLICE_SHAPES.iter().find(|other| other.keys.contains(&name)).map_or("another", |other| other.name);
    Fault::at(view.path().field(name), name, format!("{} has no field {} ({home} has)", shape.field, quoted(name)))
        .expected(shape.keys.join(" or "))
        .mend(format!("write the mapping as {} does throughout", shape.name))
}

/// Beside the mappings only names that come close to a known one are told: the API may grow fields of its own.
fn check_device(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    unknown_near(&view.device.body().unknown, &|| view.path(), Device::KEYS, faults);
}

fn check_slice(slice: &Slice<'_>, _: &Context<'_>, faults: &mut Faults) {
    unknown_near(&slice.unknown, &Path::root, Slice::KEYS, faults);
    let Some(spec) = &slice.spec else { return };
    check_nesting(slice, spec, faults);
    unknown_near(&spec.unknown, &|| Path::fields(&["spec"]), SliceSpec::KEYS, faults);
}

/// v1beta1 keeps a device's content under `basic`, later versions directly in the device: in the other place it is dropped.
fn check_nesting(slice: &Slice<'_>, spec: &SliceSpec<'_>, faults: &mut Faults) {
    let Some(version) = slice.api_version.as_deref().and_then(|version| version.split('/').nth(1)) else { return };
    for (index, device) in spec.devices.iter().enumerate() {
        let path = || Path::fields(&["spec", "devices"]).named(index, device.shown_name());
        if version != "v1beta1" && device.basic.is_some() {
            let fault = dropped("basic", &path).expected("the content directly in the device");
            faults.push(fault.mend(format!("move what stands under basic one level up, as {version} has it")));
        }
        if version == "v1beta1" && device.has_flat_content() {
            let fault = Fault::at(path(), version, "v1beta1 drops what stands directly in a device, in silence");
            faults.push(
                fault
                    .expected("the content under basic")
                    .mend("move it under basic, or write apiVersion: resource.k8s.io/v1"),
            );
        }
    }
}

fn unknown(names: &[Text<'_>], at: &dyn Fn() -> Path, keys: &[&str], faults: &mut Faults) {
    for name in names {
        let draft = DRAFT.iter().find(|(draft, _)| *draft == &**name);
        let remedy = match (draft, nearest(name, keys)) {
            (Some((_, remedy)), _) => format!("it comes from a draft of KEP-5517: {remedy}"),
            (None, Some(near)) => format!("did you mean {near}?"),
            (None, None) => "remove it".to_owned(),
        };
        faults.push(dropped(name, at).expected(keys.join(" or ")).mend(remedy));
    }
}

fn unknown_near(names: &[Text<'_>], at: &dyn Fn() -> Path, keys: &[&str], faults: &mut Faults) {
    for name in names {
        if let Some(near) = nearest(name, keys) {
            faults
                .push(dropped(name, at).expected(near).mend(format!("did you mean {near}? Names are case-sensitive")));
        }
    }
}

fn dropped(name: &str, at: &dyn Fn() -> Path) -> Fault {
    let problem = format!("no served version has a field {} here: it is dropped in silence", quoted(name));
    Fault::at(at().field(name.to_owned()), name, problem)
}
