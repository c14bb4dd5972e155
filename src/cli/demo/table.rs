//! The demo's table.

use std::fmt::Write as _;

use super::answer::Answer;
use super::recorded::Recorded;
use crate::model::request::Request;
use crate::observe::metrics::operation;
use crate::wire::review;

const HEAD: [&str; 6] = ["", "WHO", "WHAT", "VERDICT", "RULE", "WHY"];
const LONGEST_CELL: usize = 120;

/// One line of the table.
pub(super) struct Row {
    /// True when the verdict is the expected one.
    pub(super) expected: bool,
    cells: [String; 6],
}

impl Row {
    /// The line for one review and its answer.
    pub(super) fn of(recorded: &Recorded, answer: &Answer) -> Self {
        let expected = answer.is(recorded.expected);
        let (who, what) = review::read(recorded.body.as_bytes())
            .map(|request| (who(&request), what(recorded, &request)))
            .unwrap_or_default();
        let mark = if expected { "ok" } else { "!!" };
        let why = answer.why.chars().take(LONGEST_CELL).collect();
        Self { expected, cells: [mark.into(), who, what, answer.verdict.into(), answer.rules.join(","), why] }
    }
}

/// All lines, each column as wide as its widest cell.
pub(super) fn render(rows: &[Row]) -> String {
    let head = HEAD.map(str::to_owned);
    let lines: Vec<&[String; 6]> = std::iter::once(&head).chain(rows.iter().map(|row| &row.cells)).collect();
    let mut text = String::new();
    for line in &lines {
        let mut padded = String::new();
        for (nth, cell) in line.iter().enumerate() {
            let _ = write!(padded, "{cell:width$}  ", width = width(&lines, nth));
        }
        let _ = writeln!(text, "{}", padded.trim_end());
    }
    text
}

fn width(lines: &[&[String; 6]], column: usize) -> usize {
    lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
}

fn who(request: &Request<'_>) -> String {
    let name = &request.caller.username;
    name.strip_prefix("system:serviceaccount:").or_else(|| name.strip_prefix("system:")).unwrap_or(name).to_owned()
}

fn what(recorded: &Recorded, request: &Request<'_>) -> String {
    let phase = recorded.path.trim_start_matches('/');
    let (operation, resource) = (operation(request.operation), request.resource.as_str());
    format!("{} {phase} {operation} {resource} {}", recorded.version, request.name)
}
