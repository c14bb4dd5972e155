//! Claims.

use super::super::{Claim, Constraint, Consumer, DeviceKey, Given, Name, PoolKey, Selected};
use super::{amounts, key, name, stamp};
use crate::model::claim as written;
use crate::model::selector::NodeSelector;

impl From<&written::Claim<'_>> for Claim {
    fn from(claim: &written::Claim<'_>) -> Self {
        let meta = claim.meta.as_ref();
        let status = claim.status.as_ref();
        let allocation = status.and_then(|status| status.allocation.as_ref());
        let devices = claim.spec.as_ref().and_then(|spec| spec.devices.as_ref());
        let constraints = devices.map(|devices| &*devices.constraints).unwrap_or_default();
        Self {
            key: key(meta),
            stamp: stamp(meta),
            is_leaving: meta.is_some_and(|meta| meta.deletion.is_some()),
            given: allocation.map(|_| claim.results().iter().map(given).collect()),
            selected: selected(allocation.and_then(|allocation| allocation.nodes.as_ref())),
            reserved: status.map(|status| status.reserved_for.iter().map(consumer).collect()).unwrap_or_default(),
            constraints: constraints.iter().filter_map(constraint).collect(),
        }
    }
}

fn given(result: &written::Outcome<'_>) -> Given {
    let pool = PoolKey { driver: name(result.driver.as_ref()), pool: name(result.pool.as_ref()) };
    Given {
        request: name(result.request.as_ref()),
        key: DeviceKey { pool, device: name(result.device.as_ref()) },
        share: result.share.as_ref().map(|share| Name::from(&**share)),
        is_admin: result.admin == Some(true),
        consumed: result.consumed.get().map(|map| amounts(&**map).collect()),
    }
}

fn selected(selector: Option<&NodeSelector<'_>>) -> Selected {
    let Some(selector) = selector else { return Selected::Any };
    selector.node().map_or(Selected::Selector, |node| Selected::Node(node.into()))
}

fn consumer(consumer: &written::Consumer<'_>) -> Consumer {
    let group = consumer.group.as_deref().unwrap_or_default();
    Consumer {
        is_pod: group.is_empty() && consumer.resource.as_deref() == Some("pods"),
        name: name(consumer.name.as_ref()),
        uid: name(consumer.uid.as_ref()),
    }
}

fn constraint(constraint: &written::Constraint<'_>) -> Option<Constraint> {
    let attribute = Name::from(&**constraint.matches.as_ref()?);
    Some(Constraint { requests: constraint.requests.iter().map(|name| Name::from(&**name)).collect(), attribute })
}
