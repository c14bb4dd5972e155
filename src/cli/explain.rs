//! `draguard explain`: what a rule is for.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Args;

use super::written;
use crate::checks;
use crate::model::near::nearest;
use crate::model::text::quoted;
use crate::verdict::rule::Rule;

/// Tell what a rule is for and what to do about its findings.
#[derive(Debug, Args)]
pub struct Explain {
    /// Rule ids, such as DG104.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Explain {
    /// Explains every rule that is known.
    pub fn run(&self) -> io::Result<ExitCode> {
        let mut out = io::stdout().lock();
        let mut code = ExitCode::SUCCESS;
        let mut gap = "";
        for id in &self.ids {
            let Some(rule) = checks::rule(&id.to_ascii_uppercase()) else {
                complain(id);
                code = ExitCode::from(2);
                continue;
            };
            if !written(write!(out, "{gap}{}", page(rule)))? {
                break;
            }
            gap = "\n";
        }
        Ok(code)
    }
}

fn complain(id: &str) {
    let known: Vec<&str> = checks::rules().map(|rule| rule.id).collect();
    let guess = nearest(id, &known).map(|name| format!(", did you mean {name}?")).unwrap_or_default();
    eprintln!("draguard: no rule {}{guess} (`draguard rules` lists them)", quoted(id));
}

fn page(rule: &Rule) -> String {
    let Rule { id, kinds, phase, effect, title, detail, .. } = rule;
    let fixed = if rule.fixed { ", whatever the settings say" } else { "" };
    format!(
        "{id}: {title}\n\nreads    {}\nspeaks   {}\ndefault  {}{fixed}\n\n{}\n",
        kinds.join(", "),
        phase.as_str(),
        effect.as_str(),
        wrapped(detail)
    )
}

/// Text in lines of at most 80 characters.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let fits = width + 1 + length <= WIDTH;
        out.push_str(if width == 0 {
            ""
        } else if fits {
            " "
        } else {
            "\n"
        });
        width = if width > 0 && fits { width + 1 + length } else { length };
        out.push_str(word);
    }
    out
}
