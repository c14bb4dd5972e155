//! The parts of an AdmissionReview, as the API server spells them: exact case, unknown keys ignored.

use std::collections::BTreeMap;

use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::strict::{Fill, Part, Text, skip};

/// The outermost object.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) api_version: Option<Text<'a>>,
    pub(super) kind: Option<Text<'a>>,
    pub(super) request: Inner<'a>,
}

impl<'de> Part<'de> for Envelope<'de> {
    const WHAT: &'static str = "the review";

    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "apiVersion" => self.api_version = map.next_value()?,
            "kind" => self.kind = map.next_value()?,
            "request" => map.next_value_seed(Fill(&mut self.request))?,
            _ => skip(map)?,
        }
        Ok(())
    }

    fn repeated(&mut self, key: &str) {
        if key == "request" {
            self.request.uid = None;
        }
    }
}

/// `request`.
#[derive(Debug, Default)]
pub(super) struct Inner<'a> {
    pub(super) uid: Option<String>,
    pub(super) operation: Option<Text<'a>>,
    pub(super) resource: Name<'a>,
    pub(super) subresource: Option<Text<'a>>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) user: User,
    pub(super) dry_run: Option<bool>,
    pub(super) object: Option<&'a RawValue>,
    pub(super) old_object: Option<&'a RawValue>,
}

impl<'de> Part<'de> for Inner<'de> {
    const WHAT: &'static str = "request";

    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "uid" => self.uid = map.next_value()?,
            "operation" => self.operation = map.next_value()?,
            "resource" => map.next_value_seed(Fill(&mut self.resource))?,
            "subResource" => self.subresource = map.next_value()?,
            "name" => self.name = map.next_value()?,
            "namespace" => self.namespace = map.next_value()?,
            "userInfo" => map.next_value_seed(Fill(&mut self.user))?,
            "dryRun" => self.dry_run = map.next_value()?,
            "object" => self.object = map.next_value()?,
            "oldObject" => self.old_object = map.next_value()?,
            // The names before conversion decide nothing, but they are part of the envelope and must be well formed.
            "kind" | "requestKind" | "requestResource" => map.next_value_seed(Fill(&mut Name::default()))?,
            "requestSubResource" => drop(map.next_value::<Option<Text<'de>>>()?),
            _ => skip(map)?,
        }
        Ok(())
    }

    fn repeated(&mut self, key: &str) {
        if key == "uid" {
            self.uid = None;
        }
    }
}

/// A group with a kind or a resource in it.
#[derive(Debug, Default)]
pub(super) struct Name<'a> {
    pub(super) group: Option<Text<'a>>,
    pub(super) resource: Option<Text<'a>>,
}

impl<'de> Part<'de> for Name<'de> {
    const WHAT: &'static str = "a kind or resource of the request";

    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "group" => self.group = map.next_value()?,
            "resource" => self.resource = map.next_value()?,
            "version" | "kind" => drop(map.next_value::<Option<Text<'de>>>()?),
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// `request.userInfo`.
#[derive(Debug, Default)]
pub(super) struct User {
    pub(super) username: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) groups: Option<Vec<String>>,
    pub(super) extra: Extra,
}

impl<'de> Part<'de> for User {
    const WHAT: &'static str = "request.userInfo";

    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "username" => self.username = map.next_value()?,
            "groups" => self.groups = map.next_value()?,
            "extra" => map.next_value_seed(Fill(&mut self.extra))?,
            "uid" => self.uid = map.next_value()?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// `request.userInfo.extra`.
#[derive(Debug, Default)]
pub(super) struct Extra(pub(super) BTreeMap<String, Vec<String>>);

impl<'de> Part<'de> for Extra {
    const WHAT: &'static str = "request.userInfo.extra";

    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let values: Option<Vec<String>> = map.next_value()?;
        self.0.insert(key.to_owned(), values.unwrap_or_default());
        Ok(())
    }
}
