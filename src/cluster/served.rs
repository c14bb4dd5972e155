//! What the API server serves of DRA: asked of the server itself, never taken from its version number.

use std::collections::HashMap;
use std::time::Duration;

use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::fetch::{FetchError, fetch, get};
use crate::model::shape::SLICE_SHAPES;

const GROUP: &str = "resource.k8s.io";
/// The versions that draguard reads, the best first.
const VERSIONS: [&str; 3] = ["v1", "v1beta2", "v1beta1"];
/// The description of a group is some hundred KB.
const LONGEST: usize = 16 << 20;
const TIME: Duration = Duration::from_secs(10);

/// What is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// The best version of `resource.k8s.io` that draguard reads.
    pub version: Option<&'static str>,
    /// The name of the slice shape in it; `None` where that cannot be told.
    pub shape: Option<&'static str>,
}

impl Served {
    /// Such as `resource.k8s.io/v1`.
    pub(super) fn group_version(self) -> Option<String> {
        self.version.map(|version| format!("{GROUP}/{version}"))
    }
}

/// Asks again and again, and reads the description only when it has changed.
#[derive(Debug, Default)]
pub(super) struct Discovery {
    /// Where the description was last read; the address carries its hash.
    address: Option<String>,
    shape: Option<&'static str>,
}

impl Discovery {
    /// What is served now. That the shape cannot be told is no error.
    pub(super) async fn ask(&mut self, client: &Client) -> Result<Served, FetchError> {
        let version = version(client).await?;
        let Some(version) = version else { return Ok(Served::default()) };
        if let Err(error) = self.look(client, version).await {
            tracing::warn!(%error, "which shape of slices is served cannot be told");
            (self.address, self.shape) = (None, None);
        }
        Ok(Served { version: Some(version), shape: self.shape })
    }

    async fn look(&mut self, client: &Client, version: &str) -> Result<(), FetchError> {
        let index: Index = decode(client, "/openapi/v3").await?;
        let address = index.paths.get(&format!("apis/{GROUP}/{version}")).map(|entry| &entry.address);
        if address.is_none() || address != self.address.as_ref() {
            self.shape = match address {
                Some(address) => shape(&decode(client, address).await?),
                None => None,
            };
            self.address = address.cloned();
        }
        Ok(())
    }
}

async fn version(client: &Client) -> Result<Option<&'static str>, FetchError> {
    let group: Group = match decode(client, &format!("/apis/{GROUP}")).await {
        Err(error) if error.is_missing() => return Ok(None),
        answer => answer?,
    };
    Ok(VERSIONS.into_iter().find(|known| group.versions.iter().any(|served| served.version == *known)))
}

/// The only shape whose field some schema has. A server that knows several, or none, does not say which is right.
fn shape(description: &Description) -> Option<&'static str> {
    let has = |field| description.components.schemas.values().any(|schema| schema.properties.contains_key(field));
    let mut served = SLICE_SHAPES.iter().filter(|shape| has(shape.field));
    served.next().filter(|_| served.next().is_none()).map(|shape| shape.name)
}

async fn decode<T: for<'a> Deserialize<'a>>(client: &Client, address: &str) -> Result<T, FetchError> {
    let body = fetch(client, get(address)?, LONGEST, TIME).await?;
    serde_json::from_slice(&body).map_err(|error| FetchError::Form(error.to_string()))
}

#[derive(Deserialize)]
struct Group {
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

#[derive(Deserialize)]
struct Index {
    paths: HashMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "serverRelativeURL")]
    address: String,
}

#[derive(Deserialize)]
struct Description {
    components: Components,
}

#[derive(Deserialize)]
struct Components {
    schemas: HashMap<String, Schema>,
}

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    #[expect(clippy::zero_sized_map_values, reason = "it is a map in the document; only its keys matter here")]
    properties: HashMap<String, IgnoredAny>,
}

#[cfg(test)]
mod tests {
    use super::{Description, shape};

    /// A description whose device has these fields.
    fn described(fields: &[&str]) -> Description {
        let fields: Vec<String> = fields.iter().map(|field| format!("{field:?}: {{}}")).collect();
        let device = format!(r#"{{"type": "object", "properties": {{{}}}}}"#, fields.join(","));
        let text = format!(
            r#"{{"components": {{"schemas": {{"io.x.Time": {{"type": "string"}}, "io.x.Device": {device}}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    /// G01: pre-releases of v1.37 still serve the field of v1.36.
    #[test]
    fn g01_the_field_decides() {
        assert_eq!(shape(&described(&["name", "nodeAllocatableResourceMappings"])), Some("v1.36"));
        assert_eq!(shape(&described(&["name", "nodeAllocatableResources"])), Some("v1.37"));
    }

    #[test]
    fn what_cannot_be_told_is_unknown() {
        assert_eq!(shape(&described(&["name"])), None);
        assert_eq!(shape(&described(&["nodeAllocatableResourceMappings", "nodeAllocatableResources"])), None);
    }
}
