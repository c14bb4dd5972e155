//! DG124: what the rollout allows.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{DeviceView, MappingView};
use super::super::{Context, SLICE};
use crate::model::path::Path;
use crate::model::slice::Attribute;
use crate::model::text::quoted;
use crate::settings::Driver;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG124",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "schema, driver version or resource not allowed by the rollout",
        detail: "The rollout may name the schemas that mappings are written in (spec.schemas), and for each driver the resources \
                 it may map (resources) and its lowest version (minimumVersion), read from the attribute driverVersion of its \
                 mapped devices. Without these fields everything is allowed.",
    },
    checks: &[Check::Mapping(check_mapping), Check::Device(check_version)],
};

fn check_mapping(view: &MappingView<'_>, context: &Context<'_>, faults: &mut Faults) {
    let shape = view.mapping.shape.name;
    let schemas = context.settings.schemas.as_deref();
    if let Some(schemas) = schemas.filter(|schemas| !schemas.iter().any(|allowed| allowed == shape)) {
        let fault = Fault::at(view.path(), shape, format!("the mapping is written in the schema of {shape}"));
        faults.push(
            fault
                .expected(format!("a schema that the rollout allows: {}", schemas.join(", ")))
                .mend("publish the allowed schema, or add this one to spec.schemas of the rollout"),
        );
    }
    let resources = driver(view.on, context).and_then(|driver| driver.resources.as_deref());
    if let Some(resources) = resources.filter(|all| !all.iter().any(|allowed| allowed == view.mapping.resource)) {
        let problem = format!("driver {} may not map {}", quoted(view.on.driver()), quoted(view.mapping.resource));
        faults.push(
            Fault::at(view.path(), view.mapping.resource, problem)
                .expected(resources.join(" or "))
                .mend("remove the mapping, or add the resource to the driver's resources in the rollout"),
        );
    }
}

fn check_version(view: &DeviceView<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(minimum) = driver(view, context).and_then(|driver| driver.minimum_version) else { return };
    if !view.device.is_mapped() {
        return;
    }
    let own = format!("{}/driverVersion", view.driver());
    let attributes = &view.body().attributes;
    let found = attributes.iter().find(|(name, _)| &**name == "driverVersion" || **name == *own);
    let version = found.and_then(|(_, attribute)| match attribute {
        Attribute::Version(version) => Some(&**version),
        _ => None,
    });
    if version.and_then(parsed).is_some_and(|version| version >= minimum) {
        return;
    }
    let path = found.map_or_else(Path::root, |(name, _)| view.path().field("attributes").entry(&**name));
    let path = if found.is_some() { path } else { view.path().field("attributes") };
    let seen = version.unwrap_or("no driverVersion");
    let [major, minor, fix] = minimum;
    faults.push(
        Fault::at(path, seen, format!("driver {} publishes {}", quoted(view.driver()), quoted(seen)))
            .expected(format!("a driverVersion of at least {major}.{minor}.{fix}"))
            .mend("upgrade the driver, or lower its minimumVersion in the rollout"),
    );
}

fn driver<'c>(view: &DeviceView<'_>, context: &Context<'c>) -> Option<&'c Driver> {
    context.settings.drivers.get(view.driver())
}

/// Major, minor and patch of a semantic version; a pre-release counts as its release.
fn parsed(version: &str) -> Option<[u64; 3]> {
    let numbers = version.split(['-', '+']).next()?;
    let mut parts = numbers.split('.').map(str::parse);
    let parsed = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    parts.next().is_none().then_some(parsed)
}
