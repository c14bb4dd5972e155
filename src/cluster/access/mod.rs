//! What a caller may do, asked of the API server: access reviews, each question once for all who wait for it,
//! remembered for some seconds, and never more of them than a bound allows.

mod limit;
mod memory;
mod review;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::Client;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout, timeout_at};

use self::limit::Limits;
use self::memory::{Known, Look, Memory};
use super::signs::Counter;
use crate::model::access::{Answer, Answers, Question};
use crate::model::request::Caller;

/// Reviews at a time. A flood of requests must not become one of reviews.
const AT_ONCE: usize = 8;
/// Time for one question, whoever waits for it: as long as the shipped webhooks wait.
const LONGEST: Duration = Duration::from_secs(3);

/// The most bytes of an identity that is asked about: real ones have some hundreds.
const LARGEST: usize = 64 << 10;

/// Asks what callers may do.
#[derive(Clone)]
pub struct Access {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    turns: Semaphore,
    memory: Mutex<Memory>,
    limits: Mutex<Limits>,
    signs: AccessSigns,
}

/// What was counted.
#[derive(Debug, Default)]
pub struct AccessSigns {
    /// Reviews sent.
    pub reviews: Counter,
    /// Questions answered with yes by the API server.
    pub allowed: Counter,
    /// Questions answered with no by the API server.
    pub denied: Counter,
    /// Questions that the API server did not answer.
    pub failed: Counter,
    /// Questions answered from memory, or by a review that was under way.
    pub remembered: Counter,
    /// Questions that were not asked, because a caller or all of them had asked too many.
    pub limited: Counter,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("signs", &self.shared.signs).finish_non_exhaustive()
    }
}

impl Access {
    /// Asks by this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        let shared = Shared {
            client,
            turns: Semaphore::new(AT_ONCE),
            memory: Mutex::default(),
            limits: Mutex::default(),
            signs: AccessSigns::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The answers to all questions; what is not answered within `time` is unknown. Needs a running tokio.
    pub async fn answers(&self, caller: &Caller, questions: BTreeSet<Question>, time: Duration) -> Answers {
        let deadline = Instant::now() + time;
        let caller = &Arc::new(caller.clone());
        let mut coming = Vec::new();
        for question in questions {
            coming.push((self.ask(caller, &question), question));
        }
        let mut answers = Answers::new();
        for (answer, question) in coming {
            answers.insert(question, settled(answer, deadline).await);
        }
        answers
    }

    /// What was counted.
    #[must_use]
    pub fn signs(&self) -> &AccessSigns {
        &self.shared.signs
    }

    /// The answer, or where it will come; `None` when there were too many questions.
    fn ask(&self, caller: &Arc<Caller>, question: &Question) -> Option<watch::Receiver<Option<Known>>> {
        let shared = &self.shared;
        let now = Instant::now();
        let mut memory = locked(&shared.memory);
        let key = memory.key(caller, question);
        match memory.look(key, now) {
            Look::Known(answer) => {
                shared.signs.remembered.add();
                return Some(answer);
            }
            Look::Full => {
                shared.signs.limited.add();
                return None;
            }
            Look::Absent => {}
        }
        if caller.size() > LARGEST || !locked(&shared.limits).take(memory.caller(caller), question, now) {
            shared.signs.limited.add();
            return None;
        }
        let (tell, answer) = watch::channel(None);
        memory.keep(key, answer.clone());
        let (shared, caller, question) = (Arc::clone(shared), Arc::clone(caller), question.clone());
        tokio::spawn(async move {
            let known = Known::of(shared.reviewed(&caller, &question).await);
            // Nobody may be left to hear it.
            let _ = tell.send(Some(known));
        });
        Some(answer)
    }
}

impl Shared {
    async fn reviewed(&self, caller: &Caller, question: &Question) -> Answer {
        let whole = async {
            // Never closed.
            let _turn = self.turns.acquire().await.ok();
            self.any_verb(caller, question).await
        };
        let answer = timeout(LONGEST, whole).await.unwrap_or(Answer::Unknown);
        match answer {
            Answer::Allowed => self.signs.allowed.add(),
            Answer::Denied => self.signs.denied.add(),
            Answer::Unknown => self.signs.failed.add(),
        }
        answer
    }

    /// Any of the verbs is enough; one that could not be asked may be the one.
    async fn any_verb(&self, caller: &Caller, question: &Question) -> Answer {
        let mut answer = Answer::Denied;
        for verb in question.verbs() {
            self.signs.reviews.add();
            match review::allowed(&self.client, caller, question, verb, LONGEST).await {
                Ok(true) => return Answer::Allowed,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(target: "draguard::cluster", %error, "a right could not be asked for");
                    answer = Answer::Unknown;
                }
            }
        }
        answer
    }
}

async fn settled(answer: Option<watch::Receiver<Option<Known>>>, deadline: Instant) -> Answer {
    let Some(mut answer) = answer else { return Answer::Unknown };
    match timeout_at(deadline, answer.wait_for(Option::is_some)).await {
        Ok(Ok(known)) => known.map_or(Answer::Unknown, |known| known.answer),
        _ => Answer::Unknown,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
