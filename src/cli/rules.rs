//! `draguard rules`: the table of rules, from which `docs/rules.md` is made too.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::written;
use crate::checks;
use crate::verdict::rule::Rule;

/// List the rules.
#[derive(Debug, Args)]
pub struct Rules {
    /// How the list is written.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Format {
    /// One line a rule.
    #[default]
    Text,
    /// A list of objects.
    Json,
    /// A table and a section a rule.
    Markdown,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    kinds: &'static [&'static str],
    phase: &'static str,
    default: &'static str,
    fixed: bool,
    title: &'static str,
    detail: &'static str,
}

impl Rules {
    /// Prints the table.
    pub fn run(&self) -> io::Result<ExitCode> {
        let text = match self.format {
            Format::Text => checks::rules().map(line).collect(),
            Format::Json => json()?,
            Format::Markdown => markdown(),
        };
        written(write!(io::stdout().lock(), "{text}"))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn line(rule: &Rule) -> String {
    format!("{:<7}{:<7}{:<10}{}\n", rule.id, rule.effect.as_str(), rule.phase.as_str(), rule.title)
}

fn json() -> io::Result<String> {
    let rows: Vec<Row> = checks::rules().map(Row::from).collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&rows)?))
}

impl From<&'static Rule> for Row {
    fn from(rule: &'static Rule) -> Self {
        let Rule { id, kinds, phase, effect, fixed, title, detail } = *rule;
        Self { id, kinds, phase: phase.as_str(), default: effect.as_str(), fixed, title, detail }
    }
}

/// The text of `docs/rules.md`.
#[must_use]
pub fn markdown() -> String {
    let rows: String = checks::rules().map(row).collect();
    let sections: String = checks::rules().map(section).collect();
    format!(
        "# Rules\n\nMade by `draguard rules --format markdown`. `deny*` refuses in a pool of one slice and warns in a larger \
         one;\nin a review it is a denial.\n\n| id | finding | reads | speaks | default |\n| --- | --- | --- | --- | --- \
         |\n{rows}{sections}"
    )
}

fn row(rule: &Rule) -> String {
    let (id, phase, kinds) = (rule.id, rule.phase.as_str(), rule.kinds.join(", "));
    format!("| [{id}](#{}) | {} | {kinds} | {phase} | {} |\n", id.to_lowercase(), cell(rule.title), default(rule))
}

fn section(rule: &Rule) -> String {
    format!("\n## {}\n\n{}: {}.\n\n{}\n", rule.id, default(rule), rule.title, rule.detail)
}

fn default(rule: &Rule) -> String {
    format!("{}{}", rule.effect.as_str().replace('*', "\\*"), if rule.fixed { ", fixed" } else { "" })
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
