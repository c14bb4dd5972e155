//! What the containers of a pod take at most at one time (`component-helpers@0.37.2 resource/helpers.go:216`).

use std::borrow::Cow;

use super::amounts::{Amounts, add, raise};
use super::needs::{ContainerNeeds, PodNeeds, Role};

/// The larger, for every resource, of what runs in the end and of what runs while each init container does. `takes` says
/// what one container counts with.
pub(super) fn peak<'n>(needs: &'n PodNeeds, takes: impl Fn(&'n ContainerNeeds) -> Cow<'n, Amounts>) -> Amounts {
    let (mut end, mut sidecars, mut start) = (Amounts::new(), Amounts::new(), Amounts::new());
    for container in &needs.containers {
        let own = takes(container);
        if container.role != Role::Init {
            add(&mut end, &own);
        }
        if container.role == Role::Main {
            continue;
        }
        let mut now = sidecars.clone();
        add(&mut now, &own);
        raise(&mut start, &now);
        if container.role == Role::Sidecar {
            sidecars = now;
        }
    }
    raise(&mut end, &start);
    end
}
