//! `draguard review`: manifests in, findings out.

mod progress;
mod reviewer;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ColorChoice, ValueEnum};

use self::progress::Progress;
use self::reviewer::Reviewer;
use super::report::{Json, Report, Text};
use crate::files::single;
use crate::files::walk::{Found, walk};
use crate::model::text::escaped;
use crate::settings::{Settings, load};
use crate::verdict::finding::Severity;

/// Judge manifests before they reach a cluster.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 findings at or above --fail-on, 2 when a PATH could not be opened or the \
                        program could not run (the rest is reviewed all the same)."
)]
pub struct Review {
    /// Files, folders (YAML and JSON files below them, hidden folders aside), or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The Kubernetes version that the manifests are for; without it every served form is accepted.
    #[arg(long, value_enum, value_name = "VERSION")]
    kube_version: Option<KubeVersion>,
    /// How findings are written.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// The severity from which the exit status is 1.
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Settings: one `NodeAllocatableRollout` document.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// When to colour text.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
}

/// A Kubernetes version whose forms are known.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum KubeVersion {
    #[value(name = "1.36", alias = "v1.36")]
    V1_36,
    #[value(name = "1.37", alias = "v1.37")]
    V1_37,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Format {
    /// Like a compiler.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FailOn {
    /// Only findings that a cluster would refuse.
    #[default]
    Deny,
    /// Any finding.
    Warn,
}

/// Why nothing, or not everything, was reviewed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The settings are of no use.
    #[error(transparent)]
    Settings(#[from] load::LoadError),
    /// The report cannot be written.
    #[error("cannot write the report: {0}")]
    Write(#[from] io::Error),
}

impl Review {
    /// Reviews; the exit status is the one that the help promises.
    pub fn run(self) -> Result<ExitCode, ReviewError> {
        let settings = self.settings()?;
        let found = walk(&self.paths);
        Ok(self.review(&found, &settings)?)
    }

    /// A reader that goes away ends the report, not the meaning of the exit status.
    fn review(&self, found: &Found, settings: &Settings) -> io::Result<ExitCode> {
        for unopened in &found.unopened {
            complain(&unopened.to_string());
        }
        let mut report = self.report();
        let mut reviewer = Reviewer::new(settings, self.kube_version.map(KubeVersion::schema), &mut *report);
        match tell(&mut reviewer, found) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
        let outcome = reviewer.outcome();
        let failed = outcome.worst >= Some(self.fail_on.severity());
        Ok(match (found.unopened.is_empty() && outcome.unopened == 0, failed) {
            (false, _) => ExitCode::from(2),
            (true, true) => ExitCode::from(1),
            (true, false) => ExitCode::SUCCESS,
        })
    }

    fn settings(&self) -> Result<Settings, load::LoadError> {
        self.config.as_deref().map_or_else(|| Ok(Settings::default()), |file| load::load(file, single, &load::known()))
    }

    fn report(&self) -> Box<dyn Report> {
        let out = io::BufWriter::new(io::stdout());
        match self.format {
            Format::Text => Box::new(Text::new(out, self.colored())),
            Format::Json => Box::new(Json::new(out)),
        }
    }

    fn colored(&self) -> bool {
        let wished = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => wished && able && io::stdout().is_terminal(),
        }
    }
}

impl KubeVersion {
    const fn schema(self) -> &'static str {
        match self {
            Self::V1_36 => "v1.36",
            Self::V1_37 => "v1.37",
        }
    }
}

impl FailOn {
    const fn severity(self) -> Severity {
        match self {
            Self::Deny => Severity::Deny,
            Self::Warn => Severity::Warn,
        }
    }
}

fn tell(reviewer: &mut Reviewer<'_>, found: &Found) -> io::Result<()> {
    let mut progress = Progress::new(found.inputs.len());
    for input in &found.inputs {
        progress.step();
        reviewer.input(input, &mut progress)?;
    }
    reviewer.together(&found.inputs, &mut progress)?;
    reviewer.end()
}

/// Says on standard error what could not be done.
fn complain(problem: &str) {
    eprintln!("draguard: {}", escaped(problem));
}
