//! `List`s: every item is a document of its own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::scalar::json_text;
use crate::model::path::Path;

/// A value of a document, and the way to it.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) json: Cow<'a, str>,
    pub(super) path: Path,
    /// True for a recorded `AdmissionReview`.
    pub(super) review: bool,
}

type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// Calls `visit` for the object, or for each item when it is a list, lists in lists too. What is no object is given
/// back.
pub(super) fn items<'a>(json: &'a str, visit: &mut dyn FnMut(Item<'a>)) -> Result<(), Path> {
    let mut waiting = vec![Item { json: Cow::Borrowed(json), path: Path::root(), review: false }];
    let mut fault = Ok(());
    while let Some(item) = waiting.pop() {
        match opened(&item) {
            Opened::Items(items) => waiting.extend(items.into_iter().rev()),
            Opened::Object { review } => visit(Item { review, ..item }),
            Opened::Other => fault = Err(item.path),
        }
    }
    fault
}

enum Opened<'a> {
    Items(Vec<Item<'a>>),
    Object { review: bool },
    Other,
}

fn opened<'a>(item: &Item<'a>) -> Opened<'a> {
    /// Lists in lists in lists have no use.
    const DEEPEST: usize = 16;
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(&item.json) else {
        return if item.json.starts_with('{') { Opened::Object { review: false } } else { Opened::Other };
    };
    let kind = text(&fields, "kind").unwrap_or_default();
    let Some(singular) = kind.strip_suffix("List").filter(|_| item.path.steps().len() < DEEPEST) else {
        return Opened::Object { review: kind == "AdmissionReview" && fields.contains_key("request") };
    };
    match raw_items(item) {
        Some(raws) => Opened::Items(children(item, raws, singular, text(&fields, "apiVersion").as_deref())),
        None => Opened::Object { review: false },
    }
}

/// The raw items of a list; an item's own text is borrowed from the document wherever that is possible.
fn raw_items<'a>(item: &Item<'a>) -> Option<Vec<Cow<'a, str>>> {
    match &item.json {
        Cow::Borrowed(json) => {
            let fields: Fields<'a> = serde_json::from_str(json).ok()?;
            let raws: Vec<&'a RawValue> = serde_json::from_str(fields.get("items")?.get()).ok()?;
            Some(raws.into_iter().map(|raw| Cow::Borrowed(raw.get())).collect())
        }
        Cow::Owned(json) => {
            let fields: Fields<'_> = serde_json::from_str(json).ok()?;
            let raws: Vec<&RawValue> = serde_json::from_str(fields.get("items")?.get()).ok()?;
            Some(raws.into_iter().map(|raw| Cow::Owned(raw.get().to_owned())).collect())
        }
    }
}

fn children<'a>(list: &Item<'a>, raws: Vec<Cow<'a, str>>, singular: &str, version: Option<&str>) -> Vec<Item<'a>> {
    let path = |nth| list.path.clone().field("items").item(nth);
    let json = |raw| if singular.is_empty() { raw } else { completed(raw, singular, version) };
    raws.into_iter().enumerate().map(|(nth, raw)| Item { json: json(raw), path: path(nth), review: false }).collect()
}

/// An item of a typed list, such as `PodList`, may leave out kind and version: they are the list's.
fn completed<'a>(raw: Cow<'a, str>, kind: &str, version: Option<&str>) -> Cow<'a, str> {
    let bare = serde_json::from_str::<Fields<'_>>(&raw).is_ok_and(|fields| !fields.contains_key("kind"));
    let Some(rest) = raw.strip_prefix('{').filter(|_| bare) else { return raw };
    let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
    let version = json_text(version.unwrap_or_default());
    Cow::Owned(format!(r#"{{"apiVersion":{version},"kind":{}{comma}{rest}"#, json_text(kind)))
}

fn text(fields: &Fields<'_>, name: &str) -> Option<String> {
    serde_json::from_str(fields.get(name)?.get()).ok()
}
