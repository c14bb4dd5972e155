//! Findings as text of bounded length.

use crate::model::text::escaped;
use crate::verdict::decision::Ruling;
use crate::verdict::finding::Severity;
use crate::verdict::rule::Effect;

/// Room for the denial's message: it ends up in events and pod conditions.
const MESSAGE: usize = 4096;
/// Beyond this sum of characters the API server cuts each warning to [`CUT`].
const WARNINGS: usize = 4096;
const CUT: usize = 256;
const ANNOTATION: usize = 2048;

/// The denial in the user's terminal: one finding a line.
#[must_use]
pub fn message(rulings: &[Ruling]) -> String {
    let lines: Vec<String> = of(rulings, Severity::Deny).map(|ruling| ruling.finding.to_string()).collect();
    if lines.is_empty() {
        return "refused by draguard".to_owned();
    }
    bounded(lines, MESSAGE).join("\n")
}

/// The findings that do not refuse, one a warning, none of them longer than the API server lets through.
#[must_use]
pub fn warnings(rulings: &[Ruling]) -> Vec<String> {
    let lines: Vec<String> = of(rulings, Severity::Warn).map(warning).collect();
    if lines.iter().map(|line| line.chars().count()).sum::<usize>() <= WARNINGS {
        return lines;
    }
    bounded(lines.iter().map(|line| cut(line, CUT)).collect(), WARNINGS - CUT)
}

/// Every finding in the audit log.
#[must_use]
pub fn annotation(rulings: &[Ruling]) -> String {
    let lines = rulings
        .iter()
        .map(|ruling| format!("{} {} {}", spoken(ruling), ruling.finding.rule.id, ruling.finding.path))
        .collect();
    bounded(lines, ANNOTATION).join("; ")
}

/// One line for whatever text comes from inside, cut where upstream would cut it.
#[must_use]
pub fn single(text: &str) -> String {
    cut(&escaped(text), CUT)
}

fn of(rulings: &[Ruling], severity: Severity) -> impl Iterator<Item = &Ruling> {
    rulings.iter().filter(move |ruling| ruling.severity == severity)
}

fn warning(ruling: &Ruling) -> String {
    if ruling.would { format!("{}: {}", spoken(ruling), ruling.finding) } else { ruling.finding.to_string() }
}

fn spoken(ruling: &Ruling) -> &'static str {
    match (ruling.would, ruling.asked) {
        (true, Effect::Mutate) => "would patch",
        (true, _) => "would deny",
        (false, Effect::Mutate) => "patch",
        (false, _) => ruling.severity.as_str(),
    }
}

/// As many lines as there is room for, the first in any case, and how many are missing.
fn bounded(mut lines: Vec<String>, room: usize) -> Vec<String> {
    let mut used = 0;
    let fitting = lines
        .iter()
        .take_while(|line| {
            used += line.chars().count() + 1;
            used <= room
        })
        .count()
        .max(1);
    let missing = lines.len().saturating_sub(fitting);
    lines.truncate(fitting);
    if missing > 0 {
        lines.push(format!("… and {missing} more"));
    }
    lines
}

fn cut(line: &str, longest: usize) -> String {
    match line.char_indices().nth(longest - 1) {
        Some((end, last)) if end + last.len_utf8() < line.len() => format!("{}…", line.get(..end).unwrap_or_default()),
        _ => line.to_owned(),
    }
}
