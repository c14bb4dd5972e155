//! The recordings of `tests/fixtures/node-…`: what validating webhooks were asked about a real node's life.

use draguard_testbed::{Review, Version};
use libtest_mimic::Failed;

use super::life;
use crate::recorder::shape::{self, Luck};
use crate::recorder::{Recorded, folder, rewrite, updating};

/// How many of the claim controller's writes about a rejected pod are stored.
const OF_THE_LOOP: usize = 10;

const LUCK: Luck = Luck {
    passing: is_passing,
    // The garbage collector also deletes a claim whose pod is gone.
    raced: &["claimcontroller-delete-resourceclaims"],
};

/// Compares the life with the recordings, or stores it.
pub fn check(version: Version) -> Result<(), Failed> {
    let recorded = named(&life(version).reviews);
    let folder = folder(&format!("node-{version}"));
    match updating() {
        true => rewrite(&folder, &recorded),
        false => shape::compare_unordered(&folder, &recorded, &LUCK),
    }
}

/// Named by number, writer and write.
fn named(reviews: &[Review]) -> Vec<Recorded> {
    let mut looped = 0;
    let kept = reviews.iter().filter(|review| {
        looped += usize::from(is_of_the_loop(review));
        !is_of_the_loop(review) || looped <= OF_THE_LOOP
    });
    let name = |(number, review): (usize, &Review)| {
        let what = review.what().replace(' ', "-").replace('/', ".");
        Recorded { name: format!("{:03}-{}-{what}", number + 1, writer(review)), review: review.clone() }
    };
    kept.enumerate().map(name).collect()
}

fn is_of_the_loop(review: &Review) -> bool {
    let about_reservation = review.what() == "update resourceclaims/status" && writer(review) == "claimcontroller";
    about_reservation && review.object()["metadata"]["name"] == "stays"
}

fn writer(review: &Review) -> &str {
    let user = review.user();
    match user.rsplit(':').next().unwrap_or(user) {
        _ if user.starts_with("system:node:") => "kubelet",
        "kube-scheduler" => "scheduler",
        "resource-claim-controller" => "claimcontroller",
        "leaver" => "driver",
        last => last,
    }
}

/// Of a status only what draguard reads is sure to be met: the rest is there for a moment, or not yet.
fn is_passing(field: &str) -> bool {
    let of_status = field.strip_prefix(".request.object.status.");
    of_status.is_some_and(|field| !READ.contains(&field.split('.').next().unwrap_or_default()))
}

const READ: &[&str] =
    &["allocation", "reservedFor", "devices", "nodeAllocatableResourceClaimStatuses", "resourceClaimStatuses"];
