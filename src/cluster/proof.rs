//! What a refusal rests on, read again before it is spoken.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinSet;

use super::fetch::FetchError;
use super::live::Live;
use crate::ledger::excerpt::Seen;
use crate::ledger::object::Object;
use crate::ledger::view::Ref;

/// The most objects that are read for one request.
const MOST: usize = 128;

impl Live {
    /// Reads everything that `refs` name, within `time`; `None` when any of it could not be read, or it is too much.
    pub async fn prove(&self, refs: BTreeSet<Ref>, time: Duration) -> Option<Vec<Seen>> {
        if refs.len() > MOST {
            tracing::warn!(objects = refs.len(), "a refusal rests on more objects than can be read again");
            return None;
        }
        let mut reads = JoinSet::new();
        for asked in refs {
            let live = self.clone();
            reads.spawn(async move { live.seen(asked, time).await });
        }
        let mut all = Vec::new();
        while let Some(read) = reads.join_next().await {
            match read {
                Ok(Ok(seen)) => all.push(seen),
                Ok(Err(error)) => return unread(&error.to_string()),
                Err(error) => return unread(&error.to_string()),
            }
        }
        Some(all)
    }

    async fn seen(&self, asked: Ref, time: Duration) -> Result<Seen, FetchError> {
        let objects: Vec<Object> = match &asked {
            Ref::Claim(key) => self.claim(key, time).await?.into_iter().collect(),
            Ref::Pod(key) => self.pod(key, time).await?.into_iter().collect(),
            Ref::Node(name) => self.node(name, time).await?.into_iter().collect(),
            Ref::PodsOn(node) => self.pods_on(node, time).await?,
            Ref::Pool(pool) => self.slices_of(pool, time).await?,
        };
        Ok(Seen { asked, objects })
    }
}

fn unread(error: &str) -> Option<Vec<Seen>> {
    tracing::warn!(error, "what a refusal rests on could not be read again");
    None
}
