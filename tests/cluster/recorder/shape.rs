//! The shape of a recording: which writes, by whom, in which order, with which fields.

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::recorder::stage::Recorded;

/// One write of a story in one phase. Repeated writes count once: how often the server asks depends on luck.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    name: String,
    user: String,
    fields: BTreeSet<String>,
}

impl Step {
    fn is_like(&self, other: &Step) -> bool {
        (&self.name, &self.user) == (&other.name, &other.user)
    }
}

/// Fails when the recorded reviews have another shape than the stored ones.
pub fn compare(folder: &Path, recorded: &[Recorded]) -> Result<(), Failed> {
    compare_steps(fresh(recorded), steps(stored(folder)?.into_iter()))
}

/// What luck decides where several write at the same time.
pub struct Luck {
    /// Fields that a write may meet or not.
    pub passing: fn(&str) -> bool,
    /// Writes that somebody else may make first.
    pub raced: &'static [&'static str],
}

/// Likewise, where several write at the same time: order is luck, a write more may be met, and so on as `luck` says.
pub fn compare_unordered(folder: &Path, recorded: &[Recorded], luck: &Luck) -> Result<(), Failed> {
    let (mut fresh, mut stored) = (fresh(recorded), steps(stored(folder)?.into_iter()));
    fresh.retain(|step| stored.iter().any(|stored| stored.is_like(step)));
    stored.retain(|step| !luck.raced.contains(&step.name.as_str()) || fresh.iter().any(|fresh| fresh.is_like(step)));
    for steps in [&mut fresh, &mut stored] {
        steps.sort_by(|a, b| (&a.name, &a.user).cmp(&(&b.name, &b.user)));
        for step in steps.iter_mut() {
            step.fields.retain(|field| !(luck.passing)(field));
        }
    }
    compare_steps(fresh, stored)
}

/// Names of stored reviews without their numbers, each once.
pub fn stored_names(folder: &Path) -> BTreeSet<String> {
    stored(folder).unwrap_or_default().iter().map(|(name, _)| without_number(name)).collect()
}

fn fresh(recorded: &[Recorded]) -> Vec<Step> {
    steps(recorded.iter().map(|r| (r.name.clone(), r.review.body.clone())))
}

fn compare_steps(fresh: Vec<Step>, stored: Vec<Step>) -> Result<(), Failed> {
    let names = |steps: &[Step]| -> Vec<String> { steps.iter().map(|s| format!("{} by {}", s.name, s.user)).collect() };
    let (fresh_names, stored_names) = (names(&fresh), names(&stored));
    let changed = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    if fresh_names != stored_names {
        let (new, gone) = (changed(&fresh_names, &stored_names), changed(&stored_names, &fresh_names));
        return Err(format!("writes differ; new: {new:#?}, gone: {gone:#?}; see UPDATE_FIXTURES=1").into());
    }
    let differing: Vec<String> =
        fresh.iter().zip(&stored).filter_map(|(fresh, stored)| difference(fresh, stored)).collect();
    match differing.is_empty() {
        true => Ok(()),
        false => Err(format!("fields differ:\n{}", differing.join("\n")).into()),
    }
}

fn difference(fresh: &Step, stored: &Step) -> Option<String> {
    let new: Vec<&String> = fresh.fields.difference(&stored.fields).collect();
    let gone: Vec<&String> = stored.fields.difference(&fresh.fields).collect();
    (fresh != stored).then(|| format!("{}: new {new:?}, gone {gone:?}", fresh.name))
}

/// The stored reviews of a version by name, in the order of the recording.
fn stored(folder: &Path) -> Result<Vec<(String, Value)>, Failed> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let read = |path: std::path::PathBuf| -> Result<(String, Value), Failed> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, serde_json::from_slice(&std::fs::read(&path)?)?))
    };
    files.into_iter().map(read).collect()
}

fn steps(reviews: impl Iterator<Item = (String, Value)>) -> Vec<Step> {
    let mut reviews: Vec<(String, Value)> = reviews.collect();
    reviews.sort_by(|a, b| a.0.cmp(&b.0));
    let mut steps: Vec<Step> = Vec::new();
    for (name, review) in reviews {
        let user = review["request"]["userInfo"]["username"].as_str().unwrap_or_default().to_owned();
        let name = without_number(&name);
        let fields = fields(&review);
        match steps.iter_mut().find(|step| step.name == name && step.user == user) {
            Some(step) => step.fields.extend(fields),
            None => steps.push(Step { name, user, fields }),
        }
    }
    steps
}

/// `20-story-03-validate-create-pods` without its `03`.
pub fn without_number(name: &str) -> String {
    let is_number = |part: &&str| part.len() >= 2 && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = name.split('-').collect();
    let numbered = parts.iter().rposition(is_number).unwrap_or(0);
    let kept = parts.iter().enumerate().filter(|(place, _)| *place != numbered);
    kept.map(|(_, part)| *part).collect::<Vec<&str>>().join("-")
}

fn fields(review: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    collect(review, "", &mut all);
    // A delete of a pod is told before its grace began, or within.
    all.retain(|path| !path.ends_with(".deletionTimestamp") && !path.ends_with(".deletionGracePeriodSeconds"));
    // The call for an update may carry an old object from the server's cache, a moment behind: before its finalizer, say.
    // What a deletion meets of a status is luck.
    let luck = if review["request"]["operation"] == "UPDATE" { "" } else { "status." };
    let luck = format!(".request.oldObject.{luck}");
    all.retain(|path| !path.starts_with(&luck) || path.ends_with(".metadata.name"));
    all
}

/// How users log in, and whether pods get a service account, is the recording cluster's choice.
const OWN_CHOICES: &[&str] = &[
    "uid",
    "authentication.kubernetes.io/credential-id",
    "automountServiceAccountToken",
    "serviceAccount",
    "serviceAccountName",
    "managedFields",
    "startTime",
];

/// Every path in a value, without list indices and without what each cluster chooses.
fn collect(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !OWN_CHOICES.contains(&name.as_str())) {
                collect(value, &format!("{path}.{name}"), into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, into)),
        _ => drop(into.insert(path.to_owned())),
    }
}
