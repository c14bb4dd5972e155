//! What the operator says of each driver, as typed and made ready.

use std::collections::BTreeMap;

use super::Driver;
use super::names::service_account_user;
use super::problem::Problem;
use super::rollout;
use crate::model::name::is_driver;
use crate::model::near::nearest;
use crate::model::path::Path;
use crate::model::resource::Kind;
use crate::model::text::quoted;

const RESOURCES: [&str; 4] = ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi"];

/// The drivers by name; what is wrong with them is added to `problems`.
pub(super) fn ready(typed: &[rollout::Driver], problems: &mut Vec<Problem>) -> BTreeMap<String, Driver> {
    let mut drivers = BTreeMap::new();
    for (index, driver) in typed.iter().enumerate() {
        let path = Path::fields(&["spec", "drivers"]).named(index, &driver.name);
        check_name(&driver.name, &path, problems);
        if drivers.insert(driver.name.clone(), one(driver, &path, problems)).is_some() {
            problems.push(Problem::new(path.field("name"), &driver.name, "this driver is listed twice"));
        }
    }
    drivers
}

fn one(driver: &rollout::Driver, path: &Path, problems: &mut Vec<Problem>) -> Driver {
    Driver {
        writers: writers(driver.service_accounts.as_deref(), &path.clone().field("serviceAccounts"), problems),
        writer: driver.writer,
        resources: driver.resources.as_ref().map(|names| {
            check_resources(names, &path.clone().field("resources"), problems);
            names.clone()
        }),
        minimum_version: driver.minimum_version.as_ref().and_then(|text| {
            let version = version(text);
            if version.is_none() {
                problems.push(bad_version(path.clone().field("minimumVersion"), text));
            }
            version
        }),
    }
}

fn check_name(name: &str, path: &Path, problems: &mut Vec<Problem>) {
    if !is_driver(name) {
        let expected = "a driver name as in spec.driver of its slices, such as dra.cpu";
        let problem = format!("{} is no driver name", quoted(name));
        problems.push(Problem::new(path.clone().field("name"), name, problem).expected(expected));
    }
}

fn writers(accounts: Option<&[String]>, path: &Path, problems: &mut Vec<Problem>) -> Vec<String> {
    if accounts.is_some_and(<[String]>::is_empty) {
        let problem = Problem::new(path.clone(), "", "an empty list would let nobody publish this driver's slices");
        problems
            .push(problem.remedy("name at least one account, or leave out `serviceAccounts` to let anyone publish"));
    }
    let accounts = accounts.unwrap_or_default().iter().enumerate();
    accounts.filter_map(|(index, account)| writer(account, path, index, problems)).collect()
}

fn writer(account: &str, path: &Path, index: usize, problems: &mut Vec<Problem>) -> Option<String> {
    let user = service_account_user(account);
    if user.is_none() {
        let problem = format!("{} is no service account", quoted(account));
        let problem = Problem::new(path.clone().item(index), account, problem).expected("`namespace/name`");
        problems.push(problem.remedy(short_form(account).unwrap_or_default()));
    }
    user
}

/// The way to write what was given as a user name.
fn short_form(account: &str) -> Option<String> {
    let (namespace, name) = account.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    Some(format!("write {namespace}/{name}"))
}

fn check_resources(names: &[String], path: &Path, problems: &mut Vec<Problem>) {
    for (index, name) in names.iter().enumerate().filter(|(_, name)| Kind::of(name).is_none()) {
        let remedy = nearest(name, &RESOURCES).map(|name| format!("did you mean `{name}`?"));
        let problem = format!("{} is no node-allocatable resource", quoted(name));
        let problem = Problem::new(path.clone().item(index), name, problem)
            .expected("cpu, memory, ephemeral-storage or hugepages-<size>, such as hugepages-2Mi");
        problems.push(problem.remedy(remedy.unwrap_or_default()));
    }
}

fn version(text: &str) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = text.split('.').map(number).collect();
    numbers?.try_into().ok()
}

/// A whole number without sign or leading zero, as semantic versions have them.
fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

fn bad_version(path: Path, text: &str) -> Problem {
    let remedy = text.strip_prefix('v').filter(|rest| version(rest).is_some());
    Problem::new(path, text, format!("{} is no version", quoted(text)))
        .expected("MAJOR.MINOR.PATCH, such as 0.4.0")
        .remedy(remedy.map(|rest| format!("write {rest}")).unwrap_or_default())
}
