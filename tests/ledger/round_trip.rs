//! What is written of an object is what is read of it, whatever its texts and amounts.

use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::journal::{Record, event, versions};
use draguard::ledger::object::{
    Claim, Constraint, Consumer, Consumes, Device, DeviceKey, Given, Key, Mapped, Name, Node, Object, Place, Pod,
    PodClaim, PoolKey, Rate, Selected, Slice, Stamp, Traits,
};
use draguard::ledger::requests::{self, Amounts, Charge, ChargedClaim, ContainerGiven, ContainerNeeds, PodNeeds, Role};
use draguard::ledger::state::Ledger;
use draguard::model::quantity::Quantity;
use draguard::model::version::Version;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Any amount that the API stores, in each of its forms, and those that nobody should write.
const AMOUNT: &str = "[+-]?([0-9]{1,20}(\\.[0-9]{0,14})?|\\.[0-9]{1,14})(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-6]?[0-9])";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn every_object_is_read_as_it_was_written(object in object()) {
        let text = serde_json::to_string(&object).unwrap();
        let read: Object = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert_eq!(read, object);
    }

    #[test]
    fn every_event_is_read_as_it_was_written(object in object(), at in any::<i64>(), is_gone in any::<bool>()) {
        let change = match is_gone {
            true => Change::Deleted(Deleted {
                kind: object.kind(),
                key: object.key().clone(),
                stamp: object.stamp().clone(),
            }),
            false => Change::Applied(object),
        };
        let told = Event { at, change };
        let mut ledger = Ledger::new(Version::V137);
        let changes = ledger.apply(told.clone());
        let text = event(&told, &versions(&changes, &ledger));
        prop_assert_eq!(text.matches('\n').count(), 1);
        let Record::Accepted { event, .. } = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        prop_assert_eq!(event, told);
    }
}

fn object() -> impl Strategy<Value = Object> {
    prop_oneof![
        node().prop_map(Object::Node),
        slice().prop_map(Object::Slice),
        claim().prop_map(Object::Claim),
        pod().prop_map(Object::Pod),
    ]
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof!["[a-z0-9./-]{0,12}", "\\PC{0,4}", ".{0,4}"].prop_map(Name::from)
}

fn quantity() -> impl Strategy<Value = Quantity> {
    AMOUNT.prop_map(|text| Quantity::parse(&text).unwrap())
}

fn key() -> impl Strategy<Value = Key> {
    (name(), name()).prop_map(|(namespace, name)| Key { namespace, name })
}

fn stamp() -> impl Strategy<Value = Stamp> {
    (name(), any::<u64>()).prop_map(|(uid, version)| Stamp { uid, version })
}

fn amounts() -> impl Strategy<Value = Amounts> {
    btree_map("[a-z]{1,3}", quantity(), 0..3).prop_map(Amounts::from_iter)
}

fn named() -> impl Strategy<Value = Vec<(Name, Quantity)>> {
    vec((name(), quantity()), 0..3)
}

fn node() -> impl Strategy<Value = Node> {
    let allocatable = btree_map(name(), quantity(), 0..3);
    let labels = btree_map(".{0,3}", ".{0,3}", 0..3);
    (key(), stamp(), any::<bool>(), allocatable, option::of(vec(name(), 0..3)), labels).prop_map(
        |(key, stamp, is_ready, allocatable, declared, labels)| Node {
            key,
            stamp,
            is_ready,
            allocatable: allocatable.into_iter().collect(),
            declared,
            labels,
        },
    )
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![Just(Place::Many), name().prop_map(Place::Node)]
}

fn pool() -> impl Strategy<Value = PoolKey> {
    (name(), name()).prop_map(|(driver, pool)| PoolKey { driver, pool })
}

fn slice() -> impl Strategy<Value = Slice> {
    let numbers = (option::of(any::<i64>()), option::of(any::<i64>()));
    let head = (key(), stamp(), pool(), numbers, place());
    (head, vec(name(), 0..2), vec(device(), 0..3), vec((name(), named()), 0..2)).prop_map(
        |((key, stamp, pool, (generation, count), place), faults, devices, counters)| Slice {
            key,
            stamp,
            pool,
            generation,
            count,
            place,
            faults,
            devices,
            counters,
        },
    )
}

fn device() -> impl Strategy<Value = Device> {
    let consumes = (name(), named()).prop_map(|(set, counters)| Consumes { set, counters });
    let head = (name(), option::of(place()), option::of(any::<i64>()), any::<bool>());
    (head, vec(mapped(), 0..3), named(), vec(consumes, 0..2), vec((name(), vec(name(), 0..3)), 0..2)).prop_map(
        |((name, place, zone, is_shared), mapped, capacity, consumes, attributes)| {
            let (mapped, capacity) = (mapped.into(), capacity.into());
            let traits = Traits { place, zone, is_shared, mapped, capacity, consumes, attributes };
            Device { name, traits: traits.into() }
        },
    )
}

fn mapped() -> impl Strategy<Value = Mapped> {
    let capacity = (name(), quantity()).prop_map(|(key, factor)| Rate::Capacity { key, factor });
    let rate = prop_oneof![quantity().prop_map(Rate::Device), capacity];
    (name(), name(), option::of(rate), option::of(quantity()), option::of(quantity())).prop_map(
        |(resource, schema, rate, per_pod, per_container)| Mapped { resource, schema, rate, per_pod, per_container },
    )
}

fn claim() -> impl Strategy<Value = Claim> {
    let selected = prop_oneof![Just(Selected::Any), name().prop_map(Selected::Node), Just(Selected::Selector)];
    let consumer = (any::<bool>(), name(), name()).prop_map(|(is_pod, name, uid)| Consumer { is_pod, name, uid });
    let constraint = (vec(name(), 0..2), name()).prop_map(|(requests, attribute)| Constraint { requests, attribute });
    let head = (key(), stamp(), any::<bool>(), option::of(vec(given(), 0..3)), selected);
    (head, vec(consumer, 0..3), vec(constraint, 0..2)).prop_map(
        |((key, stamp, is_leaving, given, selected), reserved, constraints)| Claim {
            key,
            stamp,
            is_leaving,
            given,
            selected,
            reserved,
            constraints,
        },
    )
}

fn given() -> impl Strategy<Value = Given> {
    (name(), pool(), name(), option::of(name()), any::<bool>(), option::of(named())).prop_map(
        |(request, pool, device, share, is_admin, consumed)| Given {
            request,
            key: DeviceKey { pool, device },
            share,
            is_admin,
            consumed,
        },
    )
}

fn pod() -> impl Strategy<Value = Pod> {
    let used = (name(), option::of(name()), any::<u32>()).prop_map(|(name, claim, containers)| PodClaim {
        name,
        claim,
        containers,
    });
    let charge = (quantity(), quantity(), quantity()).prop_map(|(mapping, per_pod, per_container)| Charge {
        mapping,
        per_pod,
        per_container,
    });
    let listed = (".{0,4}", 0..9_usize, btree_map(".{0,3}", charge, 0..3))
        .prop_map(|(claim, containers, charges)| (claim, containers, charges.into_iter().collect()))
        .prop_map(|(claim, containers, charges)| ChargedClaim { claim, containers, charges });
    (key(), stamp(), option::of(name()), vec(used, 0..3), vec(listed, 0..3), needs())
        .prop_map(|(key, stamp, node, claims, listed, needs)| Pod { key, stamp, node, claims, listed, needs })
}

fn given_of_pod() -> impl Strategy<Value = requests::Given> {
    (option::of(amounts()), any::<bool>(), option::of(amounts()))
        .prop_map(|(allocated, has_resources, actuated)| requests::Given { allocated, has_resources, actuated })
}

fn needs() -> impl Strategy<Value = PodNeeds> {
    let role = select(vec![Role::Main, Role::Init, Role::Sidecar]);
    let container =
        (".{0,4}", role, amounts()).prop_map(|(name, role, requests)| ContainerNeeds { name, role, requests });
    let status = (".{0,4}", given_of_pod()).prop_map(|(name, given)| ContainerGiven { name, given });
    let flags = (any::<bool>(), any::<bool>());
    (flags, vec(container, 0..3), vec(status, 0..3), amounts(), given_of_pod(), amounts()).prop_map(
        |((is_terminal, is_resize_infeasible), containers, statuses, pod_level, given, overhead)| PodNeeds {
            is_terminal,
            is_resize_infeasible,
            containers,
            statuses,
            pod_level,
            given,
            overhead,
        },
    )
}
