//! The table of rules: dispatch, `draguard explain`, `docs/rules.md` and the metric labels come from it.

use super::row::Row;
use super::{claim, device, document, mapping, pod, pools, rollout, slice, writer};

/// Every rule, sorted by id.
pub static TABLE: &[&Row] = &[
    &document::ROW,
    &mapping::resource::ROW,
    &device::parse::ROW,
    &mapping::sign::ROW,
    &mapping::cpu_unit::ROW,
    &mapping::bytes_unit::ROW,
    &mapping::pages::ROW,
    &mapping::capacity_key::ROW,
    &mapping::shared::ROW,
    &mapping::range::ROW,
    &pools::node_fits::ROW,
    &pools::node_total::ROW,
    &device::key_count::ROW,
    &mapping::form::ROW,
    &device::attribute_value::ROW,
    &device::spelling::ROW,
    &device::names::ROW,
    &mapping::unknown_field::ROW,
    &mapping::schema::ROW,
    &device::allowed::ROW,
    &pod::shapes::ROW,
    &pools::generation::ROW,
    &pools::counts::ROW,
    &pools::device_twice::ROW,
    &pools::two_nodes::ROW,
    &writer::own_node::ROW,
    &writer::own_driver::ROW,
    &slice::numbers::ROW,
    &claim::request::ROW,
    &claim::duplicate::ROW,
    &pod::twice_asked::ROW,
    &writer::pod_list::ROW,
    &writer::drop_list::ROW,
    &rollout::outside_canary::ROW,
    &device::zone::ROW,
    &device::zones_agree::ROW,
];
