//! DG301: amounts of capacity that are asked for and given.

use super::super::CLAIMS;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::model::claim::{Claim, ClaimSpec};
use crate::model::decode::Amount;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG301",
        kinds: CLAIMS,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a capacity request or a consumed capacity is negative or beyond 64 bits",
        detail: "Kubernetes stores a request of -4 cores. v1.36 then allocates it, which shrinks the used capacity of the device, \
                 and the pod runs uncounted; v1.37 fails the pod for ever. Source: kubernetes issue 140468, pull 140442.",
    },
    checks: &[Check::ClaimSpec(check_spec), Check::ClaimStatus(check_status)],
};

fn check_spec(spec: &ClaimSpec<'_>, at: &Path, faults: &mut Faults) {
    for wanted in spec.wanted(at) {
        for (name, amount) in wanted.ask.amounts() {
            let path = || wanted.path.clone().then(&["capacity", "requests"]).entry(&**name);
            check_amount(amount, "a capacity request", path, faults);
        }
    }
}

fn check_status(claim: &Claim<'_>, faults: &mut Faults) {
    for (index, result) in claim.results().iter().enumerate() {
        let Some(consumed) = result.consumed.get() else { continue };
        let results = Path::fields(&["status", "allocation", "devices", "results"]);
        for (name, amount) in consumed.iter() {
            let path = || results.clone().item(index).field("consumedCapacity").entry(&**name);
            check_amount(amount, "a consumed capacity", path, faults);
        }
    }
}

fn check_amount(amount: &Amount<'_>, what: &str, path: impl Fn() -> Path, faults: &mut Faults) {
    let text = quoted(&amount.text);
    let problem = match amount.value {
        Err(error) => format!("{text}: {error}"),
        Ok(quantity) if quantity.signum() < 0 => {
            format!("{text} is negative: it would give capacity away that nobody returned")
        }
        Ok(quantity) if quantity.whole_ceil().is_none() => format!("{text} does not fit 64 bits"),
        Ok(_) => return,
    };
    faults.push(
        Fault::at(path(), &*amount.text, problem)
            .expected(format!("{what} from zero to what a device has"))
            .mend("write the amount that the workload needs"),
    );
}
