//! From the document as typed to settings ready to use: here every error of meaning surfaces, all at once.

use std::collections::BTreeMap;

use super::problem::Problem;
use super::rollout::{self, API_VERSION, ClaimAdmission, KIND, NAME, NodeAllocatableRollout};
use super::{Action, Admission, Settings, canary, driver, names};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::Rule;

/// What the document may speak of.
#[derive(Debug, Clone)]
pub struct Known {
    /// The rule table.
    pub rules: Vec<&'static Rule>,
    /// The names of the schemas.
    pub schemas: Vec<&'static str>,
}

/// Reads settings from JSON text, and says all that is wrong with them.
pub fn read(json: &str, known: &Known) -> Result<Settings, Vec<Problem>> {
    let rollout = rollout::parse(json).map_err(|problem| vec![problem])?;
    ready(&rollout, known)
}

/// The settings that the document asks for, or all that is wrong with it.
pub fn ready(rollout: &NodeAllocatableRollout, known: &Known) -> Result<Settings, Vec<Problem>> {
    let mut problems = Vec::new();
    check_head(rollout, &mut problems);
    let spec = rollout.spec.clone().unwrap_or_default();
    let settings = Settings {
        mode: spec.mode.unwrap_or_default(),
        rules: rules(spec.rules.unwrap_or_default(), &known.rules, &mut problems),
        drivers: driver::ready(&spec.drivers.unwrap_or_default(), &mut problems),
        binders: binders(spec.binders.unwrap_or_default(), &mut problems),
        schemas: schemas(spec.schemas, &known.schemas, &mut problems),
        canary: spec.canary.map(|canary| canary::ready(&canary, &mut problems)),
        halt: halt(spec.claim_admission.unwrap_or_default(), &mut problems),
    };
    if problems.is_empty() { Ok(settings) } else { Err(problems) }
}

fn check_head(rollout: &NodeAllocatableRollout, problems: &mut Vec<Problem>) {
    let name = rollout.metadata.name.as_deref().unwrap_or_default();
    for (fields, given, wanted) in [
        (&["apiVersion"][..], rollout.api_version.as_str(), API_VERSION),
        (&["kind"][..], rollout.kind.as_str(), KIND),
        (&["metadata", "name"][..], name, NAME),
    ] {
        if given != wanted {
            let problem = format!("{} is not what this document must say here", quoted(given));
            problems.push(Problem::new(Path::fields(fields), given, problem).expected(format!("`{wanted}`")));
        }
    }
}

fn rules(
    typed: BTreeMap<String, Action>,
    known: &[&'static Rule],
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Action> {
    problems.extend(typed.keys().filter_map(|id| bad_rule(id, known)));
    typed
}

fn bad_rule(id: &str, known: &[&'static Rule]) -> Option<Problem> {
    let path = Path::fields(&["spec", "rules"]).entry(id);
    match known.iter().find(|rule| rule.id == id) {
        None => Some(unknown_rule(path, id, known)),
        Some(rule) if rule.fixed => {
            let problem = format!("{id} protects the cluster itself and cannot be changed");
            Some(Problem::new(path, id, problem).remedy("leave it out; spec.mode: Audit makes every rule a warning"))
        }
        Some(_) => None,
    }
}

fn unknown_rule(path: Path, id: &str, known: &[&'static Rule]) -> Problem {
    let ids: Vec<&str> = known.iter().map(|rule| rule.id).collect();
    let problem = Problem::unknown(path, "rule", id, &ids);
    if problem.remedy.is_empty() { problem.remedy("`draguard rules` lists them") } else { problem }
}

/// The stock binder always counts: refusing it would strand every allocation it makes.
fn binders(typed: Vec<String>, problems: &mut Vec<Problem>) -> Vec<String> {
    problems.extend(typed.iter().enumerate().filter_map(|(index, user)| bad_binder(index, user)));
    let mut binders = Settings::default().binders;
    for user in typed {
        if !binders.contains(&user) {
            binders.push(user);
        }
    }
    binders
}

fn bad_binder(index: usize, user: &str) -> Option<Problem> {
    let meant = names::service_account_user(user);
    let parts = user.strip_prefix("system:serviceaccount:").map(|rest| rest.replacen(':', "/", 1));
    let broken = parts.is_some_and(|account| names::service_account_user(&account).is_none());
    if meant.is_none() && !broken && !user.is_empty() && !user.contains(char::is_whitespace) {
        return None;
    }
    let path = Path::fields(&["spec", "binders"]).item(index);
    let problem = Problem::new(path, user, format!("{} is no user name", quoted(user)));
    let expected = "the name that the API server authenticates, such as system:serviceaccount:kube-system:my-scheduler";
    Some(problem.expected(expected).remedy(meant.map(|user| format!("write {user}")).unwrap_or_default()))
}

/// A halt without a reason would leave everybody whose pods wait without a word.
fn halt(typed: ClaimAdmission, problems: &mut Vec<Problem>) -> Option<String> {
    let reason = typed.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    if typed.state == Admission::Open {
        return None;
    }
    if reason.is_none() {
        let path = Path::fields(&["spec", "claimAdmission", "reason"]);
        let problem = Problem::new(path, "", "a halt without a reason tells nobody why pods wait");
        problems.push(problem.expected("a sentence for those whose pods wait"));
    }
    reason
}

fn schemas(typed: Option<Vec<String>>, known: &[&str], problems: &mut Vec<Problem>) -> Option<Vec<String>> {
    let typed = typed?;
    let path = Path::fields(&["spec", "schemas"]);
    if typed.is_empty() {
        let problem = Problem::new(path.clone(), "", "an empty list would allow no schema at all");
        problems.push(problem.remedy("leave out `schemas` to allow all, or name at least one"));
    }
    for (index, name) in typed.iter().enumerate().filter(|(_, name)| !known.contains(&name.as_str())) {
        problems.push(Problem::unknown(path.clone().item(index), "schema", name, known));
    }
    Some(typed)
}
