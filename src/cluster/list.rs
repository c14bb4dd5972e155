//! A complete list of a kind, page by page.

use std::borrow::Cow;
use std::time::Duration;

use kube::Client;
use kube::core::params::ListParams;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::fetch::{FetchError, fetch};
use super::read;
use super::signs::KindSigns;
use crate::ledger::object::{Key, Kind, Object, PoolKey};

/// Bytes of a page. An object has at most some 1.5 MB, a page of the largest slices seen has 30 MB.
const LONGEST: usize = 512 << 20;
/// Objects of a page. Slices are large, and pages are in memory as a whole.
const SLICES: u32 = 250;
const OTHERS: u32 = 500;

/// What is listed.
#[derive(Debug)]
pub(super) struct Query<'a> {
    /// The kind.
    pub kind: Kind,
    /// Where its objects are.
    pub path: &'a str,
    /// Restricts the list, such as `spec.nodeName=n`.
    pub fields: Option<String>,
    /// Restricts it further, where the server cannot: only slices of this pool are kept.
    pub pool: Option<&'a PoolKey>,
    /// Time for each page.
    pub time: Duration,
}

impl Query<'_> {
    fn keeps(&self, object: &Object) -> bool {
        self.pool.is_none_or(|pool| matches!(object, Object::Slice(slice) if slice.pool == *pool))
    }
}

/// Every object of a list.
#[derive(Debug)]
pub(super) struct Listed {
    pub objects: Vec<Object>,
    /// The objects that cannot be read.
    pub left_out: Vec<Key>,
    /// The version at which the list was right.
    pub version: u64,
}

/// Lists all of it, from etcd and not from a cache that may be behind.
pub(super) async fn all(client: &Client, query: &Query<'_>, signs: &KindSigns) -> Result<Listed, FetchError> {
    let limit = if query.kind == Kind::Slice { SLICES } else { OTHERS };
    let mut params = ListParams { field_selector: query.fields.clone(), limit: Some(limit), ..ListParams::default() };
    let mut listed = Listed { objects: Vec::new(), left_out: Vec::new(), version: 0 };
    loop {
        let body = page(client, query, &params).await?;
        let page = parse(&body)?;
        for item in page.items.iter().flatten() {
            match read::object(query.kind, item, signs) {
                Ok(object) if query.keeps(&object) => listed.objects.push(object),
                Ok(_) => {}
                Err(key) => listed.left_out.push(key),
            }
        }
        listed.version = page.metadata.version()?;
        params.continue_token = page.metadata.next();
        if params.continue_token.is_none() {
            return Ok(listed);
        }
    }
}

/// The version at which the server is, as far as this kind is concerned.
pub(super) async fn version(client: &Client, query: &Query<'_>) -> Result<u64, FetchError> {
    let params = ListParams { field_selector: query.fields.clone(), limit: Some(1), ..ListParams::default() };
    parse(&page(client, query, &params).await?)?.metadata.version()
}

async fn page(client: &Client, query: &Query<'_>, params: &ListParams) -> Result<bytes::Bytes, FetchError> {
    let request = kube::core::Request::new(query.path).list(params)?;
    fetch(client, request, LONGEST, query.time).await
}

fn parse(body: &[u8]) -> Result<Page<'_>, FetchError> {
    serde_json::from_slice(body).map_err(|error| FetchError::Form(error.to_string()))
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    metadata: Meta<'a>,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    #[serde(borrow)]
    resource_version: Cow<'a, str>,
    #[serde(borrow, rename = "continue")]
    token: Option<Cow<'a, str>>,
}

impl Meta<'_> {
    fn next(&self) -> Option<String> {
        self.token.as_deref().filter(|token| !token.is_empty()).map(str::to_owned)
    }

    fn version(&self) -> Result<u64, FetchError> {
        let form = |_| FetchError::Form(format!("resourceVersion {:?} is no number", self.resource_version));
        self.resource_version.parse().map_err(form)
    }
}
