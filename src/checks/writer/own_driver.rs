//! DG207: a driver's slices are written by its own service accounts.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::{Context, SLICE};
use crate::model::path::Path;
use crate::model::request::Caller;
use crate::model::slice::Slice;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG207",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a service account writes under a driver name that is not its own",
        detail: "The rollout names the service accounts of each driver. A configured driver's slices may be written by no other \
                 service account, and a configured service account may write no other driver's slices. Nothing in Kubernetes \
                 ties a driver's name to its writer.",
    },
    checks: &[Check::SliceWriter(check)],
};

fn check(caller: &Caller, slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let name = slice.spec.as_ref().and_then(|spec| spec.driver.as_deref()).unwrap_or_default();
    let drivers = &context.settings.drivers;
    if caller.is_master() || !caller.is_service_account() {
        return;
    }
    if let Some(driver) = drivers.get(name) {
        if !driver.admits(&caller.username) {
            faults.push(foreign(name, caller, &driver.writers.join(" or ")));
        }
        return;
    }
    let own: Vec<&str> =
        drivers.iter().filter(|(_, driver)| driver.names(&caller.username)).map(|(name, _)| name.as_str()).collect();
    if !own.is_empty() {
        let problem = format!("{} writes for driver {}", quoted(&caller.username), quoted(name));
        faults.push(
            Fault::at(path(), name, problem)
                .expected(format!("a driver configured for it: {}", own.join(" or ")))
                .mend("use the driver's own service account, or list it under this driver in the rollout"),
        );
    }
}

fn foreign(name: &str, caller: &Caller, writers: &str) -> Fault {
    Fault::at(path(), name, format!("{} writes for driver {}", quoted(&caller.username), quoted(name)))
        .expected(writers)
        .mend("use the driver's own service account, or add this one to the driver's serviceAccounts in the rollout")
}

fn path() -> Path {
    Path::fields(&["spec", "driver"])
}
