//! Sums by resource.

use super::requests::Amounts;
use crate::model::quantity::Quantity;

/// Adds to one resource. A sum that leaves 128 bits stays where it was: no such amount passes DG109.
pub fn add(sums: &mut Amounts, resource: &str, amount: &Quantity) {
    match sums.get_mut(resource) {
        Some(sum) => *sum = sum.checked_add(amount).unwrap_or(*sum),
        None => {
            sums.insert(resource.to_owned(), *amount);
        }
    }
}

/// Adds every resource of `more`.
pub fn add_all(sums: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        add(sums, resource, amount);
    }
}

/// What is left of `from` when `less` is taken away, never below zero.
#[must_use]
pub fn left(from: &Amounts, less: &Amounts) -> Amounts {
    let rest = |(resource, amount): (&String, &Quantity)| {
        let rest = less.get(resource).map_or(Some(*amount), |less| amount.checked_sub(less));
        rest.filter(|rest| rest.signum() > 0).map(|rest| (resource.clone(), rest))
    };
    from.iter().filter_map(rest).collect()
}
