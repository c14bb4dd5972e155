//! What a refusal rests on.

use std::collections::BTreeSet;

use super::super::fault::Fault;
use crate::ledger::object::Key;
use crate::ledger::view::Ref;
use crate::verdict::rule::Effect;

/// The most claims that are read again for one finding.
const MOST: usize = 64;

/// The fault rests on these claims. Where they are too many to be read again, it is held and not denied.
pub(super) fn on_claims(fault: Fault, claims: &BTreeSet<&Key>) -> Fault {
    let fault = if claims.len() > MOST { fault.effect(Effect::Hold) } else { fault };
    fault.rests_on(claims.iter().take(MOST).map(|key| Ref::Claim((*key).clone())))
}
