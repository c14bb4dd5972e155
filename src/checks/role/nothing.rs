//! Entries of a role that match nothing, whatever the rest of the role says.

use super::super::fault::Fault;
use super::resources::{is_namespaced, meant};
use super::{item, smallest};
use crate::model::role::{DRA, Grant};
use crate::model::text::quoted;

/// The first entry of a rule that matches nothing.
pub fn entry(index: usize, grant: &Grant<'_>) -> Option<Fault> {
    wildcard(index, grant).or_else(|| misspelt(index, grant)).or_else(|| any_name(index, grant))
}

/// What looks like a wildcard and is none.
fn wildcard(index: usize, grant: &Grant<'_>) -> Option<Fault> {
    let of_one = |entry: &str| entry.strip_suffix("/*").is_some_and(|resource| is_namespaced(resource).is_some());
    let is_none = |entry: &str| entry == "*/*" || of_one(entry);
    let at = grant.resources.iter().position(|entry| is_none(entry))?;
    let entry = &**grant.resources.get(at)?;
    let problem = format!("{} grants nothing: RBAC knows no such wildcard", quoted(entry));
    let remedy = format!("name the parts that are meant, such as {}", smallest::allocation());
    let fault = Fault::at(item(index, "resources", at), entry, problem);
    Some(fault.expected("a resource and its subresource").mend(remedy))
}

/// Judged where the rule is about nothing but DRA: other groups have names of their own.
fn misspelt(index: usize, grant: &Grant<'_>) -> Option<Fault> {
    if grant.groups.iter().any(|group| **group != *DRA) {
        return None;
    }
    let (at, near) = grant.resources.iter().enumerate().find_map(|(at, entry)| Some((at, meant(entry)?)))?;
    let entry = &**grant.resources.get(at)?;
    let problem =
        format!("{} grants nothing: {DRA} has no such resource, and RBAC compares letter by letter", quoted(entry));
    let fault = Fault::at(item(index, "resources", at), entry, problem);
    Some(fault.expected(quoted(near)).mend(format!("write {near}")))
}

fn any_name(index: usize, grant: &Grant<'_>) -> Option<Fault> {
    let at = grant.names.iter().position(|name| **name == *"*")?;
    let problem = "resourceNames knows no wildcard: no object and no driver is called \"*\"";
    let fault = Fault::at(item(index, "resourceNames", at), "*", problem);
    Some(fault.expected("names").mend("name what is meant, or leave resourceNames out where all are"))
}
