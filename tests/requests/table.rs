//! Every row of the tables that Go's library wrote (`go/`).

use draguard::model::version::Version;

use crate::go_row::{Row, counted, disagreements};
use crate::pods::Pods;

/// The rows that are kept of each release.
pub(crate) const ROWS: usize = 100;

pub(crate) const VERSIONS: [(Version, &str); 2] = [(Version::V136, "v1.36"), (Version::V137, "v1.37")];

#[test]
fn every_row_agrees_with_go() {
    for (version, name) in VERSIONS {
        let rows = rows(version);
        assert_eq!(rows.len(), ROWS);
        for row in rows {
            let wrong = disagreements(&row, version);
            assert!(wrong.is_empty(), "{name} {}\n{}", row.pod, wrong.join("\n"));
        }
    }
}

#[test]
fn the_rows_are_the_first_pods_of_the_sequence() {
    for (version, name) in VERSIONS {
        let same = rows(version).into_iter().zip(Pods::of(version)).all(|(row, pod)| row.pod == pod);
        assert!(same, "{name}: UPDATE_REQUESTS=1 cargo test --test requests");
    }
}

#[test]
fn the_rows_tell_the_releases_apart() {
    for (version, other) in [(Version::V136, Version::V137), (Version::V137, Version::V136)] {
        let foreign = rows(version).iter().filter(|row| !disagreements(row, other).is_empty()).count();
        assert!(foreign > ROWS / 4, "only {foreign} rows of {version:?} differ under the rules of {other:?}");
    }
}

#[test]
fn the_rows_are_of_every_kind() {
    for (version, name) in VERSIONS {
        let rows = rows(version);
        let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
        let kinds = [
            ("claims add", count(&|row| counted(&row.answer.with) != counted(&row.answer.off))),
            ("pod-level", count(&|row| row.pod["spec"]["resources"].is_object())),
            ("overhead", count(&|row| row.pod["spec"]["overhead"].is_object())),
            ("sums", count(&|row| row.pod["status"]["allocatedResources"].is_object())),
            ("statuses", count(&|row| row.pod["status"]["containerStatuses"].is_array())),
            ("init", count(&|row| row.pod["spec"]["initContainers"][0].is_object())),
            ("infeasible", count(&|row| row.pod["status"]["conditions"][1]["reason"] == "Infeasible")),
        ];
        for (kind, found) in kinds {
            assert!(found > ROWS / 10, "{name}: only {found} of {kind}");
        }
    }
}

fn rows(version: Version) -> Vec<Row> {
    let table = match version {
        Version::V136 => include_str!("v1.36.jsonl"),
        Version::V137 => include_str!("v1.37.jsonl"),
    };
    table.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}
