//! The loop: files, one at a time, then the objects side by side.

use std::io;
use std::rc::Rc;

use super::complain;
use super::progress::Progress;
use crate::checks::{self, Context, ObjectRef, document, stored};
use crate::cli::report::{Entry, Report, Summary};
use crate::files::lines::Lines;
use crate::files::locate::locate;
use crate::files::source::{Input, Refusal};
use crate::files::{Form, Origin, Part, Read, documents};
use crate::ledger::inventory::Inventory;
use crate::ledger::object::Object;
use crate::model::access::Rights;
use crate::model::path::Path;
use crate::model::version::Version;
use crate::recorded;
use crate::settings::Settings;
use crate::verdict::decision::{Decision, Pool, Ruling};
use crate::verdict::finding::{Finding, Severity};

/// What a review came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// The gravest finding's severity.
    pub(super) worst: Option<Severity>,
    /// How many files could not be read.
    pub(super) unopened: usize,
}

/// A review under way.
pub(super) struct Reviewer<'r> {
    context: Context<'r>,
    report: &'r mut dyn Report,
    inventory: Inventory,
    /// What the ledger keeps of each object, by its number there.
    kept: Vec<(usize, Object)>,
    /// Where each object of the inventory comes from, by its number there.
    sources: Vec<Source>,
    summary: Summary,
    unopened: usize,
    /// Standard input cannot be read twice.
    stdin: Vec<u8>,
    inputs: usize,
}

struct Source {
    input: usize,
    origin: Origin,
    object: Rc<ObjectRef>,
}

/// A finding and where it belongs, not yet looked up.
struct Said {
    part: Part,
    path: Path,
    finding: Finding,
    object: Rc<ObjectRef>,
}

impl<'r> Reviewer<'r> {
    pub(super) fn new(settings: &'r Settings, target: Option<&'r str>, report: &'r mut dyn Report) -> Self {
        Self {
            context: Context { settings, target, inventory: None, scene: None, rights: Rights::Settings },
            report,
            inventory: Inventory::default(),
            kept: Vec::new(),
            sources: Vec::new(),
            summary: Summary::default(),
            unopened: 0,
            stdin: Vec::new(),
            inputs: 0,
        }
    }

    /// Reviews the next file.
    pub(super) fn input(&mut self, input: &Input, progress: &mut Progress) -> io::Result<()> {
        self.inputs += 1;
        match input.read() {
            Ok(bytes) => {
                let said = self.inspect(&bytes, input.form());
                self.tell(input, &bytes, said, progress)?;
                if *input == Input::Stdin {
                    self.stdin = bytes;
                }
                Ok(())
            }
            Err(Refusal::Io(cause)) => {
                self.unopened += 1;
                progress.clear();
                complain(&format!("{}: {cause}", input.name()));
                Ok(())
            }
            Err(refusal @ Refusal::TooLarge) => {
                let said = vec![unreadable(0, &refusal.to_string())];
                self.tell(input, &[], said, progress)
            }
        }
    }

    /// Judges all objects by each other.
    pub(super) fn together(&mut self, inputs: &[Input], progress: &mut Progress) -> io::Result<()> {
        let version = Version::of_schema(self.context.target);
        let mut findings = checks::together(&self.inventory);
        findings.extend(stored::allocations(std::mem::take(&mut self.kept), version, self.context.settings));
        findings.sort_by_key(|(origin, _)| *origin);
        let mut findings = findings.into_iter().peekable();
        while let Some((origin, _)) = findings.peek() {
            let Some(nth) = self.sources.get(*origin).map(|source| source.input) else { break };
            let mut said = Vec::new();
            while let Some((origin, finding)) = findings.next_if(|(origin, _)| self.input_of(*origin) == Some(nth)) {
                said.extend(self.sources.get(origin).map(|source| source.say(finding)));
            }
            let Some(input) = inputs.get(nth) else { break };
            let bytes = self.again(input);
            self.tell(input, &bytes, said, progress)?;
        }
        Ok(())
    }

    /// Writes the summary.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.report.end(&Summary { files: self.inputs, ..self.summary })
    }

    /// What it came to so far.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome { worst: self.summary.worst(), unopened: self.unopened }
    }

    fn input_of(&self, origin: usize) -> Option<usize> {
        self.sources.get(origin).map(|source| source.input)
    }

    fn inspect(&mut self, bytes: &[u8], form: Form) -> Vec<Said> {
        let mut said = Vec::new();
        documents(bytes, form, &mut |read| match read {
            Read::Broken(broken) => said.push(unreadable(broken.at, &broken.problem)),
            Read::Document(read) => {
                let judge = if read.origin.review { recorded::inspect } else { checks::inspect };
                let inspected = judge(read.json, &self.context);
                let object = Rc::new(inspected.object);
                let source = Source { input: self.inputs - 1, origin: read.origin, object };
                self.summary.objects += 1;
                said.extend(inspected.findings.into_iter().map(|finding| source.say(finding)));
                let number = self.sources.len();
                let is_known = inspected.facts.is_some() || inspected.kept.is_some();
                self.kept.extend(inspected.kept.map(|kept| (number, kept)));
                if let Some(facts) = inspected.facts {
                    self.inventory.add(facts, number);
                }
                if is_known {
                    self.sources.push(source);
                }
            }
        });
        said
    }

    fn again(&self, input: &Input) -> Vec<u8> {
        match input {
            Input::Stdin => self.stdin.clone(),
            Input::File(_) => input.read().unwrap_or_default(),
        }
    }

    /// Looks up the places and writes the findings of one file.
    fn tell(&mut self, input: &Input, bytes: &[u8], said: Vec<Said>, progress: &mut Progress) -> io::Result<()> {
        if said.is_empty() {
            return Ok(());
        }
        progress.clear();
        let (file, lines) = (input.name(), Lines::of(bytes));
        let mut entries: Vec<Entry<'_>> = offsets(bytes, &said)
            .into_iter()
            .zip(said)
            .filter_map(|(offset, said)| {
                let ruling = self.rule(said.finding)?;
                Some(Entry { ruling, object: said.object, file: &file, place: lines.place(offset), lines: &lines })
            })
            .collect();
        entries.sort_by_key(|entry| (entry.place, entry.ruling.finding.rule.id));
        for entry in &entries {
            self.summary.count(entry.ruling.severity);
            self.report.entry(entry)?;
        }
        Ok(())
    }

    fn rule(&self, finding: Finding) -> Option<Ruling> {
        Decision::of(vec![finding], Pool::Whole, self.context.settings).rulings.pop()
    }
}

impl Source {
    fn say(&self, finding: Finding) -> Said {
        let path = self.origin.resolve(&finding.path);
        Said { part: self.origin.part, path, finding, object: Rc::clone(&self.object) }
    }
}

fn unreadable(at: usize, problem: &str) -> Said {
    let part = Part { start: at, end: at, form: Form::Json };
    Said { part, path: Path::root(), finding: document::broken(problem), object: Rc::default() }
}

/// The byte of each finding: one look at each stretch of the file, whatever is said of it.
fn offsets(bytes: &[u8], said: &[Said]) -> Vec<usize> {
    said.chunk_by(|one, other| one.part == other.part)
        .flat_map(|chunk| {
            let paths: Vec<Path> = chunk.iter().map(|said| said.path.clone()).collect();
            chunk.first().map(|first| locate(bytes, first.part, &paths)).unwrap_or_default()
        })
        .collect()
}
