//! The objects that lie side by side: in the reviewed files, or in the folder of a standalone server.

/// What one object contributes: owned, and small next to its text.
#[derive(Debug, Clone)]
pub struct Facts {}

/// The facts of many objects.
#[derive(Debug, Clone, Default)]
pub struct Inventory {}

impl Inventory {
    /// Adds an object's facts; `origin` comes back with every finding about it.
    pub fn add(&mut self, _facts: Facts, _origin: usize) {
        todo!("lead")
    }
}
