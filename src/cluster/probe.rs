//! Asks the server where it is, so that a stream that is silent, or alive but behind, is known as such.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::fetch::FetchError;
use super::freshness::Probed;
use super::list::{self, Query};
use super::paths::path;
use super::served::Discovery;
use super::shared::Shared;
use super::watch::Backoff;
use crate::ledger::object::Kind;

/// Time for an answer.
const TIME: Duration = Duration::from_secs(10);
/// How often what is served is asked again: it changes while a control plane is upgraded.
const SERVED: Duration = Duration::from_mins(1);

/// Probes one kind's stream until the task is stopped.
pub(super) async fn streams(shared: Arc<Shared>, kind: Kind) {
    loop {
        sleep(shared.options.probe()).await;
        if let Err(error) = probe(&shared, kind).await {
            shared.signs.of(kind).failures.add();
            tracing::debug!(resource = kind.plural(), %error, "the stream cannot be probed");
        }
    }
}

async fn probe(shared: &Shared, kind: Kind) -> Result<(), FetchError> {
    let (asked, reached) = (shared.clock.now(), shared.streams().of(kind).reached());
    if reached == 0 {
        return Ok(());
    }
    let path = path(kind, shared.served(), None)?;
    let query = Query { kind, path: &path, fields: None, pool: None, time: TIME };
    let version = list::version(&shared.client, &query).await?;
    let probed = shared.streams().of_mut(kind).probed(asked, reached, version);
    if probed == Probed::SetBack {
        shared.set_back(kind).notify_one();
    }
    Ok(())
}

/// Finds out what is served, and again each minute, until the task is stopped.
pub(super) async fn served(shared: Arc<Shared>) {
    let (mut discovery, mut backoff) = (Discovery::default(), Backoff::default());
    loop {
        match find(&shared, &mut discovery).await {
            Ok(()) => {
                backoff.reset();
                sleep(SERVED).await;
            }
            Err(error) => {
                tracing::warn!(%error, "what the API server serves cannot be found out");
                sleep(backoff.next()).await;
            }
        }
    }
}

async fn find(shared: &Shared, discovery: &mut Discovery) -> Result<(), FetchError> {
    let served = discovery.ask(&shared.client).await?;
    if shared.found.send_if_modified(|old| std::mem::replace(old, served) != served) {
        tracing::info!(version = served.version, shape = served.shape, "resource.k8s.io served");
    }
    served.version.map(|_| ()).ok_or(FetchError::NotServed)
}
