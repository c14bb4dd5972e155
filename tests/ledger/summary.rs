//! What two ledgers must agree on: all but times, and how often an account changed.

use std::collections::BTreeMap;

use draguard::ledger::account::Sums;
use draguard::ledger::contribution::Lines;
use draguard::ledger::object::{Key, Mapped, Name, Place};
use draguard::ledger::state::{Ledger, Trouble};

use super::world::World;
use draguard::ledger::object::{Kind, Object};

#[derive(Debug, PartialEq)]
pub struct Summary {
    accounts: BTreeMap<Name, (Lines, Sums)>,
    prices: BTreeMap<Key, Vec<Option<Price>>>,
    troubles: BTreeMap<Key, Trouble>,
    objects: Vec<Object>,
}

type Price = (Place, Option<i64>, Vec<Mapped>);

/// The summary of a ledger of this world.
pub fn summary(ledger: &Ledger, world: &World) -> Summary {
    let accounts = ledger.accounts().iter();
    let accounts = accounts.map(|(node, account)| (node, (account.contributions().clone(), account.sums().clone())));
    let accounts = accounts.filter(|(_, (lines, sums))| !lines.is_empty() || *sums != Sums::default());
    Summary {
        accounts: accounts.map(|(node, account)| (node.clone(), account)).collect(),
        prices: world.claims().into_iter().filter_map(|claim| Some((claim.clone(), prices(ledger, &claim)?))).collect(),
        troubles: ledger.troubles().clone(),
        objects: objects(ledger, world),
    }
}

fn prices(ledger: &Ledger, claim: &Key) -> Option<Vec<Option<Price>>> {
    let results = &ledger.priced(claim)?.results;
    // A device that maps nothing costs what one that was never seen costs: only mapped ones are remembered.
    let mapped = |price: &Price| !price.2.is_empty();
    let price = |price: &draguard::ledger::price::Price| (price.place.clone(), price.zone, price.mapped.to_vec());
    Some(results.iter().map(|result| result.as_ref().map(price).filter(mapped)).collect())
}

/// The objects of every name that the world ever had.
fn objects(ledger: &Ledger, world: &World) -> Vec<Object> {
    let names = world.names();
    let object = |(kind, key): (Kind, Key)| match kind {
        Kind::Node => ledger.node(&key.name).cloned().map(Object::Node),
        Kind::Claim => ledger.claim(&key).cloned().map(Object::Claim),
        Kind::Pod => ledger.pod(&key).cloned().map(Object::Pod),
        Kind::Slice => {
            let mut slices = world.layout.pools.iter().flat_map(|pool| ledger.pool(&pool.key));
            slices.find(|slice| slice.key == key).cloned().map(Object::Slice)
        }
    };
    names.into_iter().filter_map(object).collect()
}
