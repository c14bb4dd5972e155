//! A write of a claim's status: what it changes, and what is known of the writer's right to each part of it.

use super::super::super::Context;
use super::place::Place;
use crate::ledger::view::Scene;
use crate::model::access::{Answer, Question, Rights};
use crate::model::claim::Claim;
use crate::model::request::{Caller, Request};
use crate::model::status_change::StatusChange;
use crate::settings::{Action, Settings, Writer};

/// No allocation has devices of more drivers: the API server takes 32 results.
const MOST: usize = 32;

/// The write, with what the rules have to know of it.
#[derive(Debug)]
pub struct ClaimWrite<'a> {
    /// Who writes.
    pub caller: &'a Caller,
    /// The claim as it would be stored.
    pub claim: &'a Claim<'a>,
    /// What changes.
    pub change: &'a StatusChange<'a>,
    /// What the operator decided.
    pub settings: &'a Settings,
    /// The ledger, where there is one.
    pub scene: Option<Scene<'a>>,
    /// Where the writer is.
    pub place: Place<'a>,
    /// True when there is a cluster whose rights count.
    pub is_asked: bool,
    /// The rights that it needs.
    pub needs: Vec<Need>,
}

/// A right that a write needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The question whether the writer has it.
    pub question: Question,
    /// What is known.
    pub standing: Standing,
}

/// What is known of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The writer has it.
    Granted,
    /// The writer has it not.
    Missing,
    /// The API server did not say.
    Unknown,
    /// It is to be asked.
    Open,
}

impl<'a> ClaimWrite<'a> {
    /// The write that a request makes.
    #[must_use]
    pub fn of(
        request: &'a Request<'_>,
        claim: &'a Claim<'a>,
        change: &'a StatusChange<'a>,
        context: &Context<'a>,
    ) -> Self {
        let Context { settings, scene, rights, .. } = *context;
        let caller = &request.caller;
        let is_asked = !matches!(rights, Rights::Settings);
        let place = Place::of(caller, claim);
        let mut write = Self { caller, claim, change, settings, scene, place, is_asked, needs: Vec::new() };
        write.needs = write.needs(&request.namespace, rights);
        write
    }

    /// What has to be asked before anything can be said.
    pub fn open(&self) -> impl Iterator<Item = &Question> {
        self.needs.iter().filter(|need| need.standing == Standing::Open).map(|need| &need.question)
    }

    /// The rights that the writer does not have.
    pub fn missing(&self) -> impl Iterator<Item = &Question> {
        self.needs.iter().filter(|need| need.standing == Standing::Missing).map(|need| &need.question)
    }

    fn needs(&self, namespace: &str, rights: Rights<'_>) -> Vec<Need> {
        let mut needs = Vec::new();
        if self.change.binds() && !self.is_off(&["DG401"]) {
            let standing = self.known_binder().unwrap_or_else(|| self.answered(&Question::Binding, rights));
            needs.push(Need { question: Question::Binding, standing });
        }
        if self.is_off(&["DG402", "DG403"]) {
            return needs;
        }
        for (nth, name) in self.change.drivers().into_iter().enumerate() {
            let is_associated = self.place.is_associated();
            let question = Question::Driver { name: name.to_owned(), namespace: namespace.to_owned(), is_associated };
            let standing = self.known_writer(name);
            let standing = standing
                .unwrap_or_else(|| if nth < MOST { self.answered(&question, rights) } else { Standing::Unknown });
            needs.push(Need { question, standing });
        }
        needs
    }

    fn is_off(&self, rules: &[&str]) -> bool {
        rules.iter().all(|rule| self.settings.action(rule) == Some(Action::Off))
    }

    /// Who binds by profession, or by configuration. The claim controller releases and reserves, and allocates nothing.
    fn known_binder(&self) -> Option<Standing> {
        let is_known = self.caller.is_master()
            || self.settings.binders.contains(&self.caller.username)
            || self.caller.is_claim_controller() && !self.change.allocates();
        is_known.then_some(Standing::Granted)
    }

    /// Who writes for this driver by configuration: from everywhere, or from the node of the claim.
    fn known_writer(&self, driver: &str) -> Option<Standing> {
        if self.caller.is_master() {
            return Some(Standing::Granted);
        }
        let driver = self.settings.drivers.get(driver)?;
        if !driver.names(&self.caller.username) {
            return None;
        }
        match (driver.writer, self.place) {
            (Writer::ClusterWide, _) | (Writer::NodeLocal, Place::Here(_)) => Some(Standing::Granted),
            (Writer::NodeLocal, Place::Anywhere) => None,
            (Writer::NodeLocal, _) => Some(Standing::Missing),
        }
    }

    fn answered(&self, question: &Question, rights: Rights<'_>) -> Standing {
        match rights {
            Rights::Open => Standing::Open,
            Rights::Settings => self.by_settings(question),
            Rights::Asked(answers) => match answers.get(question).unwrap_or(&Answer::Unknown) {
                Answer::Allowed => Standing::Granted,
                Answer::Denied => Standing::Missing,
                Answer::Unknown => Standing::Unknown,
            },
        }
    }

    /// Where no cluster can be asked, what the settings do not grant is not granted; but a release, and a write from
    /// where the right for the own node is enough, are not refused for rights that nobody can see.
    fn by_settings(&self, question: &Question) -> Standing {
        let is_missing = match question {
            Question::Binding => self.change.allocates(),
            Question::Driver { .. } => !matches!(self.place, Place::Here(_) | Place::Anywhere),
        };
        if is_missing { Standing::Missing } else { Standing::Granted }
    }
}
