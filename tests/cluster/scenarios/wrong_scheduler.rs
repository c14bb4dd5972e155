//! A scheduler that is deliberately wrong: each of its writes is refused by the rule that is there for it, and the real
//! scheduler's next pods go through.

use draguard_testbed::objects::cores_request;
use draguard_testbed::{Ground, Wrong, WrongScheduler};

use super::Scene;
use crate::facts::wrong_scheduler::ground_of;

/// Everything that is wrong, one after the other.
pub fn play(scene: &mut Scene) {
    let bed = &scene.bed;
    bed.store_slice(&Ground::devices(bed.version)).must();
    let (scheduler, ground) = (WrongScheduler::of(bed.cluster), ground_of(bed));
    for (nth, wrong) in Wrong::ALL.into_iter().enumerate() {
        let answer = scheduler.commit(wrong, &ground);
        let (code, rule) = match wrong {
            Wrong::Twice => (403, "DG303"),
            Wrong::Overcommit => (403, "DG307"),
            Wrong::Unknown => (429, "DG304"),
            Wrong::Negative => (403, "DG301"),
        };
        assert_eq!(answer.code, code, "{wrong:?}: {}", answer.message());
        assert!(answer.message().contains(rule), "{wrong:?}: {}", answer.message());
        scheduler.undo(wrong, &ground);
        let name = format!("next-{nth}");
        bed.add_claim_for(&name, &[cores_request("r", &bed.ns, "1")]);
        bed.bound(&bed.admin.create(&bed.pod(&name, &[&name])).must());
    }
}
