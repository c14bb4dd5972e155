//! What a write changes in the status of a claim, part by part, as the API server tells the parts apart
//! (`kubernetes@1.36.3 pkg/registry/resource/utils.go`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::decode::{Items, Text, object};
use super::read::{Unreadable, read};
use super::request::{Request, Resource};
use super::semantic::same;

/// What a write changes.
#[derive(Debug, Default)]
pub struct StatusChange<'a> {
    /// What becomes of the allocation.
    pub allocation: Option<Change>,
    /// True when `reservedFor` changes; its order counts.
    pub reservation: bool,
    /// The device entries that change, in any order. None while the claim is not allocated: the API server drops them
    /// together with the allocation.
    pub entries: Vec<EntryChange<'a>>,
}

/// What becomes of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// It is there before and after.
    Changed,
    /// It goes.
    Removed,
}

/// A device entry that a write changes.
#[derive(Debug)]
pub struct EntryChange<'a> {
    /// The device.
    pub key: EntryKey<'a>,
    /// What becomes of it.
    pub change: Change,
    /// Its place in the new list; `None` when it goes.
    pub index: Option<usize>,
}

/// What tells device entries apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryKey<'a> {
    /// The driver.
    pub driver: Text<'a>,
    /// The pool.
    pub pool: Text<'a>,
    /// The device.
    pub device: Text<'a>,
    /// The share; empty for none.
    pub share: Text<'a>,
}

object! {
    /// A claim, of which only the status is looked at.
    Whole {
        /// The status.
        status: Option<Parts<'a>> = "status",
    }
    known: []
}

object! {
    /// The status, its parts as text.
    Parts {
        /// What is allocated.
        allocation: Option<&'a RawValue> = "allocation",
        /// For whom.
        reserved_for: Option<&'a RawValue> = "reservedFor",
        /// What drivers say of it.
        devices: Items<Option<&'a RawValue>> = "devices",
    }
    known: []
}

object! {
    /// One device entry.
    Entry {
        /// The driver.
        driver: Option<Text<'a>> = "driver",
        /// The pool.
        pool: Option<Text<'a>> = "pool",
        /// The device.
        device: Option<Text<'a>> = "device",
        /// The share.
        share: Option<Text<'a>> = "shareID",
    }
    known: []
}

impl<'a> StatusChange<'a> {
    /// What changes between the stored claim and the new one, both as JSON text.
    ///
    /// # Errors
    ///
    /// When one of them has another form.
    pub fn between(old: &'a str, new: &'a str) -> Result<Self, Unreadable> {
        let parts = |text| Ok::<_, Unreadable>(read::<Whole<'a>>(text)?.status.unwrap_or_default());
        let (old, new) = (parts(old)?, parts(new)?);
        let is_allocated = new.allocation.is_some();
        Ok(Self {
            allocation: change_of(old.allocation, new.allocation),
            reservation: !same("reservedFor", old.reserved_for, new.reserved_for),
            entries: if is_allocated { entries(&old, &new)? } else { Vec::new() },
        })
    }

    /// True when the write changes what only binders may.
    #[must_use]
    pub const fn binds(&self) -> bool {
        self.allocation.is_some() || self.reservation
    }

    /// True when the write gives devices.
    #[must_use]
    pub const fn allocates(&self) -> bool {
        matches!(self.allocation, Some(Change::Added | Change::Changed))
    }

    /// The drivers whose entries change.
    #[must_use]
    pub fn drivers(&self) -> BTreeSet<&str> {
        self.entries.iter().map(|entry| &*entry.key.driver).collect()
    }
}

/// True when a request gives devices to a claim.
#[must_use]
pub fn gives_devices(request: &Request<'_>) -> bool {
    let (Some(old), Some(new)) = (request.old_object, request.object) else { return false };
    request.resource == Resource::ClaimStatus && StatusChange::between(old, new).is_ok_and(|change| change.allocates())
}

fn change_of(old: Option<&RawValue>, new: Option<&RawValue>) -> Option<Change> {
    match (old, new) {
        (None, None) => None,
        (None, Some(_)) => Some(Change::Added),
        (Some(_), None) => Some(Change::Removed),
        (Some(_), Some(_)) => (!same("allocation", old, new)).then_some(Change::Changed),
    }
}

fn entries<'a>(old: &Parts<'a>, new: &Parts<'a>) -> Result<Vec<EntryChange<'a>>, Unreadable> {
    let mut before = BTreeMap::new();
    for entry in old.devices.iter().copied() {
        before.insert(key_of(entry)?, entry);
    }
    let mut changes = Vec::new();
    for (index, entry) in new.devices.iter().copied().enumerate() {
        let key = key_of(entry)?;
        let change = match before.remove(&key) {
            None => Change::Added,
            Some(old) if same("", old, entry) => continue,
            Some(_) => Change::Changed,
        };
        changes.push(EntryChange { key, change, index: Some(index) });
    }
    let gone = before.into_keys().map(|key| EntryChange { key, change: Change::Removed, index: None });
    changes.extend(gone);
    Ok(changes)
}

fn key_of(entry: Option<&RawValue>) -> Result<EntryKey<'_>, Unreadable> {
    let Entry { driver, pool, device, share, .. } = read(entry.map_or("{}", RawValue::get))?;
    let text = Option::unwrap_or_default;
    Ok(EntryKey { driver: text(driver), pool: text(pool), device: text(device), share: text(share) })
}
