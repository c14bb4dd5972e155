//! From typed objects to facts.

use super::facts::{ClaimFacts, ContainerFacts, DeviceFacts, GivenFacts, MappedFacts, NodeFacts, PodFacts, SliceFacts};
use crate::model::claim::{Claim, ClaimSpec, Outcome, Template};
use crate::model::decode::{Amount, Number, Text};
use crate::model::mapping::Mapping;
use crate::model::meta::Meta;
use crate::model::node::Node;
use crate::model::path::Path;
use crate::model::pod::{Container, Pod};
use crate::model::quantity::Quantity;
use crate::model::reach::Reach;
use crate::model::slice::{Device, Slice};

impl From<&Slice<'_>> for SliceFacts {
    fn from(slice: &Slice<'_>) -> Self {
        let meta = slice.meta.as_ref();
        let spec = slice.spec.as_ref();
        let pool = spec.and_then(|spec| spec.pool.as_ref());
        let node = spec.and_then(|spec| spec.node_name.as_deref()).or_else(|| meta.and_then(Meta::owner_node));
        Self {
            origin: 0,
            name: meta.map(|meta| meta.shown_name().to_owned()).unwrap_or_default(),
            is_named: meta.is_some_and(|meta| meta.name.is_some()),
            driver: owned(spec.and_then(|spec| spec.driver.as_ref())),
            pool: owned(pool.and_then(|pool| pool.name.as_ref())),
            generation: pool.and_then(|pool| pool.generation.as_ref()).and_then(Number::whole),
            count: pool.and_then(|pool| pool.slice_count.as_ref()).and_then(Number::whole),
            node: node.map(str::to_owned),
            is_stored: meta.is_some_and(|meta| meta.resource_version.is_some()),
            age: None,
            devices: spec.map(|spec| spec.devices.iter().map(DeviceFacts::from).collect()).unwrap_or_default(),
        }
    }
}

impl From<&Device<'_>> for DeviceFacts {
    fn from(device: &Device<'_>) -> Self {
        Self {
            name: device.shown_name().to_owned(),
            shares_counters: !device.body().consumes.is_empty(),
            mapped: device.mappings().map(|mapping| mapped(&mapping, device)).collect(),
        }
    }
}

fn mapped(mapping: &Mapping<'_>, device: &Device<'_>) -> MappedFacts {
    let reaches = mapping.reaches(device);
    let amounts = |reach: &&Reach<'_>| reach.consumed.as_ref().is_some_and(|consumed| !consumed.is_step);
    let consumed = reaches.iter().filter(amounts).filter_map(|reach| reach.footprint);
    let whole = mapping.device.as_ref().and_then(Amount::quantity);
    let factor = mapping.multiplier.as_ref().and_then(Amount::quantity);
    let full = mapping.capacity_key.and_then(|key| device.body().capacity.value(key)?.value.as_ref()?.quantity());
    let has_policy =
        mapping.capacity_key.and_then(|key| device.body().capacity.value(key)).is_some_and(|one| one.policy.is_some());
    let least = if mapping.capacity_key.is_some() { consumed.min().filter(|_| has_policy) } else { whole };
    MappedFacts {
        resource: mapping.resource.to_owned(),
        shape: mapping.shape,
        capacity: mapping.capacity_key.zip(factor).map(|(key, factor)| (key.to_owned(), factor)),
        device: whole,
        smallest: sum([least, mapping.per_pod.and_then(Amount::quantity)]),
        largest: whole.or_else(|| full?.checked_mul(&factor?)),
    }
}

fn sum(parts: [Option<Quantity>; 2]) -> Option<Quantity> {
    parts.into_iter().flatten().reduce(|sum, part| sum.checked_add(&part).unwrap_or(sum))
}

impl From<&Claim<'_>> for ClaimFacts {
    fn from(claim: &Claim<'_>) -> Self {
        let given: Vec<_> = claim.results().iter().map(given).collect();
        let asked = claim.spec.as_ref().map(asked).unwrap_or_default();
        let content = format!("{asked:?} {given:?}");
        Self { content, asked, given, ..named(claim.meta.as_ref()) }
    }
}

impl From<&Template<'_>> for ClaimFacts {
    fn from(template: &Template<'_>) -> Self {
        let spec = template.spec.as_ref().and_then(|spec| spec.spec.as_ref());
        Self {
            is_template: true,
            uid: None,
            asked: spec.map(asked).unwrap_or_default(),
            ..named(template.meta.as_ref())
        }
    }
}

fn named(meta: Option<&Meta<'_>>) -> ClaimFacts {
    let Some(meta) = meta else { return ClaimFacts::default() };
    ClaimFacts {
        namespace: owned(meta.namespace.as_ref()),
        name: meta.shown_name().to_owned(),
        uid: meta.uid.as_deref().map(str::to_owned),
        ..ClaimFacts::default()
    }
}

fn asked(spec: &ClaimSpec<'_>) -> Vec<(String, Quantity)> {
    let requests = spec.devices.as_ref().map(|devices| &*devices.requests).unwrap_or_default();
    let has_alternatives = requests.iter().any(|ask| !ask.first_available.is_empty());
    let wanted = if has_alternatives { Vec::new() } else { spec.wanted(&Path::root()) };
    wanted.iter().flat_map(|wanted| amounts(wanted.ask.amounts())).collect()
}

fn given(result: &Outcome<'_>) -> GivenFacts {
    let consumed = result.consumed.get().map(|map| amounts(map)).unwrap_or_default();
    GivenFacts {
        driver: owned(result.driver.as_ref()),
        pool: owned(result.pool.as_ref()),
        device: owned(result.device.as_ref()),
        consumed,
    }
}

fn amounts(entries: &[(Text<'_>, Amount<'_>)]) -> Vec<(String, Quantity)> {
    entries.iter().filter_map(amount).collect()
}

fn amount((name, amount): &(Text<'_>, Amount<'_>)) -> Option<(String, Quantity)> {
    Some(((**name).to_owned(), amount.quantity()?))
}

impl From<&Pod<'_>> for PodFacts {
    fn from(pod: &Pod<'_>) -> Self {
        let claims = pod.claims().iter().filter_map(|claim| {
            let target = claim.claim.as_ref().or(claim.template.as_ref())?;
            Some((owned(claim.name.as_ref()), (**target).to_owned(), claim.claim.is_none()))
        });
        Self {
            origin: 0,
            namespace: owned(pod.meta.as_ref().and_then(|meta| meta.namespace.as_ref())),
            claims: claims.collect(),
            containers: pod.containers().filter_map(container).collect(),
        }
    }
}

fn container((field, index, container): (&'static str, usize, &Container<'_>)) -> Option<ContainerFacts> {
    let needs = container.resources.as_ref().filter(|needs| !needs.claims.is_empty())?;
    // The server takes a limit for a request that is absent.
    let limits = needs.limits.iter().filter(|(name, _)| needs.requests.value(name).is_none());
    let requests = amounts(&needs.requests).into_iter().chain(limits.filter_map(amount)).collect();
    let claims = needs.claims.iter().filter_map(|claim| claim.name.as_deref().map(str::to_owned));
    Some(ContainerFacts { field, index, name: owned(container.name.as_ref()), requests, claims: claims.collect() })
}

impl From<&Node<'_>> for NodeFacts {
    fn from(node: &Node<'_>) -> Self {
        let meta = node.meta.as_ref();
        let labels = meta.map(|meta| &*meta.labels).unwrap_or_default();
        let allocatable = node.status.as_ref().map(|status| &*status.allocatable).unwrap_or_default();
        Self {
            name: meta.map(|meta| meta.shown_name().to_owned()).unwrap_or_default(),
            labels: labels.iter().map(|(key, value)| ((**key).to_owned(), (**value).to_owned())).collect(),
            allocatable: amounts(allocatable).into_iter().collect(),
        }
    }
}

fn owned(text: Option<&Text<'_>>) -> String {
    text.map(|text| (**text).to_owned()).unwrap_or_default()
}
