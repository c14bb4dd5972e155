//! Live reads: what the API server's storage says now, not what the watches have seen. They confirm a verdict.

use std::sync::Arc;
use std::time::Duration;

use kube::core::Request;
use kube::core::params::GetParams;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::fetch::{FetchError, fetch};
use super::list::{self, Query};
use super::paths::path;
use super::shared::Shared;
use super::watch::NOT_OVER;
use crate::ledger::object::{Key, Kind, Object, PoolKey};
use crate::model::name::{is_driver, is_pool, is_subdomain};

/// Live reads at a time. A flood of reviews must not become one of reads.
const AT_ONCE: usize = 16;
/// Bytes of one object.
const LONGEST: usize = 32 << 20;

/// Reads objects as they are now.
#[derive(Clone)]
pub struct Live {
    shared: Arc<Shared>,
    turns: Arc<Semaphore>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("turns", &self.turns.available_permits()).finish_non_exhaustive()
    }
}

impl Live {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// A claim; `None` when there is none of this name.
    ///
    /// # Errors
    ///
    /// When the answer does not come within `time`, or cannot be used. Nothing is known then.
    pub async fn claim(&self, key: &Key, time: Duration) -> Result<Option<Object>, FetchError> {
        self.object(Kind::Claim, key, time).await
    }

    /// A pod; `None` when there is none of this name.
    ///
    /// # Errors
    ///
    /// As for a claim.
    pub async fn pod(&self, key: &Key, time: Duration) -> Result<Option<Object>, FetchError> {
        self.object(Kind::Pod, key, time).await
    }

    /// A node; `None` when there is none of this name.
    ///
    /// # Errors
    ///
    /// As for a claim.
    pub async fn node(&self, name: &str, time: Duration) -> Result<Option<Object>, FetchError> {
        self.object(Kind::Node, &Key::cluster(name), time).await
    }

    /// The pods bound to a node that have not ended.
    ///
    /// # Errors
    ///
    /// As for a claim.
    pub async fn pods_on(&self, node: &str, time: Duration) -> Result<Vec<Object>, FetchError> {
        if !is_name(node) {
            return Ok(Vec::new());
        }
        self.objects(Kind::Pod, format!("spec.nodeName={node},{NOT_OVER}"), None, time).await
    }

    /// The slices of a pool.
    ///
    /// # Errors
    ///
    /// As for a claim.
    pub async fn slices_of(&self, pool: &PoolKey, time: Duration) -> Result<Vec<Object>, FetchError> {
        if !is_driver(&pool.driver) || !is_pool(&pool.pool) {
            return Ok(Vec::new());
        }
        let of_driver = format!("spec.driver={}", pool.driver);
        if self.selects_pools() {
            let of_pool = format!("{of_driver},spec.pool.name={}", pool.pool);
            match self.objects(Kind::Slice, of_pool, Some(pool), time).await {
                // One of several API servers may be older.
                Err(FetchError::Refused { code: 400, .. }) => {}
                slices => return slices,
            }
        }
        self.objects(Kind::Slice, of_driver, Some(pool), time).await
    }

    /// Since v1.37 a list can be of one pool. A node-local driver has as many pools as there are nodes.
    fn selects_pools(&self) -> bool {
        self.shared.served().shape.is_some_and(|shape| shape != "v1.36")
    }

    async fn object(&self, kind: Kind, key: &Key, time: Duration) -> Result<Option<Object>, FetchError> {
        let namespace = Some(&*key.namespace).filter(|namespace| !namespace.is_empty());
        if !is_name(&key.name) || !namespace.is_none_or(is_name) {
            return Ok(None);
        }
        let request =
            Request::new(path(kind, self.shared.served(), namespace)?).get(&key.name, &GetParams::default())?;
        match self.in_turn(time, fetch(&self.shared.client, request, LONGEST, time)).await {
            Err(error) if error.is_missing() => Ok(None),
            body => read(kind, &body?).map(Some),
        }
    }

    async fn objects(
        &self,
        kind: Kind,
        fields: String,
        pool: Option<&PoolKey>,
        time: Duration,
    ) -> Result<Vec<Object>, FetchError> {
        let path = path(kind, self.shared.served(), None)?;
        let query = Query { kind, path: &path, fields: Some(fields), pool, time };
        let listed = self.in_turn(time, list::all(&self.shared.client, &query, self.shared.signs.of(kind))).await?;
        // The rest alone would pass for all of it.
        match listed.left_out.first() {
            Some(key) => Err(FetchError::Form(format!("{key} cannot be read"))),
            None => Ok(listed.objects),
        }
    }

    /// Waits for a turn and for the answer, for `time` together.
    async fn in_turn<T>(
        &self,
        time: Duration,
        read: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let turn = async {
            // Never closed.
            let _turn = self.turns.acquire().await.ok();
            read.await
        };
        timeout(time, turn).await.unwrap_or(Err(FetchError::Late(time)))
    }
}

/// Names come from requests that anyone may send: what no object can be called must not become a path or a selector.
fn is_name(name: &str) -> bool {
    is_subdomain(name, 253)
}

fn read(kind: Kind, body: &[u8]) -> Result<Object, FetchError> {
    let raw: &RawValue = serde_json::from_slice(body).map_err(|error| FetchError::Form(error.to_string()))?;
    Object::read(kind, raw.get()).map_err(|error| FetchError::Form(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_is_neither_a_path_nor_a_selector() {
        for name in ["", "..", "a/b", "a?b", "a%2fb", "a,b=c", "a b", "A", "a!=b"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("gpu.example.com") && is_name("node-1"));
    }
}
