//! What the watches and the access reviews count, in Prometheus' text format.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::cluster::access::AccessSigns;
use crate::cluster::keeper::Keeper;
use crate::cluster::signs::Signs;
use crate::journal::Journal;
use crate::ledger::object::Kind;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    resource: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EventLabels {
    resource: &'static str,
    event: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// The figures at `now`, in milliseconds since 1970.
#[must_use]
pub fn text(keeper: &Keeper, now: i64) -> String {
    let mut registry = Registry::with_prefix("draguard");
    watches(keeper.cluster().signs(), now, &mut registry);
    asked(keeper.access().signs(), &mut registry);
    if let Some(journal) = keeper.journal() {
        written(journal, &mut registry);
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = encode(&mut text, &registry);
    text
}

fn watches(signs: &Signs, now: i64, registry: &mut Registry) {
    let events = Family::<EventLabels, Counter>::default();
    let lag = Family::<Labels, Gauge>::default();
    for kind in Kind::ALL {
        let (resource, signs) = (kind.plural(), signs.of(kind));
        for (event, count) in [
            ("relist", signs.relists.count()),
            ("applied", signs.applied.count()),
            ("deleted", signs.deleted.count()),
            ("bookmark", signs.bookmarks.count()),
            ("unreadable", signs.unreadable.count()),
            ("failure", signs.failures.count()),
        ] {
            events.get_or_create(&EventLabels { resource, event }).inc_by(count);
        }
        if let Some(heard) = signs.last_heard() {
            lag.get_or_create(&Labels { resource }).set(now.saturating_sub(heard).max(0) / 1000);
        }
    }
    registry.register("watch_events", "What the watch of a resource saw", events);
    registry.register("watch_silence_seconds", "Seconds since the watch of a resource last gave a sign of life", lag);
}

fn asked(signs: &AccessSigns, registry: &mut Registry) {
    let questions = Family::<OutcomeLabels, Counter>::default();
    for (outcome, count) in [
        ("allowed", signs.allowed.count()),
        ("denied", signs.denied.count()),
        ("failed", signs.failed.count()),
        ("remembered", signs.remembered.count()),
        ("limited", signs.limited.count()),
    ] {
        questions.get_or_create(&OutcomeLabels { outcome }).inc_by(count);
    }
    let reviews = Counter::<u64>::default();
    reviews.inc_by(signs.reviews.count());
    registry.register("access_questions", "What became of questions about writers' rights", questions);
    registry.register("access_reviews", "SubjectAccessReviews sent to the API server", reviews);
}

fn written(journal: &Journal, registry: &mut Registry) {
    let counts = journal.counts();
    for (name, help, count) in [
        ("journal_events", "Events written to the journal", counts.written),
        ("journal_dropped", "Events left out of the journal, which a complete export followed", counts.dropped),
        ("journal_failures", "Writes of the journal that failed", counts.failures),
        ("journal_files", "Files of the journal that were started", counts.files),
    ] {
        let counter = Counter::<u64>::default();
        counter.inc_by(count);
        registry.register(name, help, counter);
    }
}
