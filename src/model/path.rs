//! Field paths, written as Kubernetes writes them.

use std::borrow::Cow;
use std::fmt;

use super::text::escaped;

/// One step from an object into one of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A field of a struct.
    Field(Cow<'static, str>),
    /// The key of a map.
    Entry(String),
    /// An item of a list, and its name where it has one.
    Item(usize, Option<String>),
}

/// The way from an object's root to one of its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

impl Path {
    /// The object itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The path through these struct fields.
    #[must_use]
    pub fn fields(names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| Step::Field(Cow::Borrowed(*name))).collect())
    }

    /// This path and one struct field more.
    #[must_use]
    pub fn field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Step::Field(name.into()));
        self
    }

    /// This path and several struct fields more.
    #[must_use]
    pub fn then(mut self, names: &[&'static str]) -> Self {
        self.0.extend(names.iter().map(|name| Step::Field(Cow::Borrowed(*name))));
        self
    }

    /// This path and the entry `key` of the map there.
    #[must_use]
    pub fn entry(mut self, key: impl Into<String>) -> Self {
        self.0.push(Step::Entry(key.into()));
        self
    }

    /// This path and item `index` of the list there.
    #[must_use]
    pub fn item(mut self, index: usize) -> Self {
        self.0.push(Step::Item(index, None));
        self
    }

    /// This path and item `index` of the list there, known by `name` wherever it stands.
    #[must_use]
    pub fn named(mut self, index: usize, name: impl Into<String>) -> Self {
        self.0.push(Step::Item(index, Some(name.into())));
        self
    }

    /// The steps, from the root.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path with names in place of indices: the same for an item that moved in its list.
    #[must_use]
    pub fn identity(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, step| {
            match step {
                Step::Field(name) => text.extend([".", &**name]),
                Step::Entry(key) | Step::Item(_, Some(key)) => text.extend(["[", key, "]"]),
                Step::Item(index, None) => text.extend(["[", &index.to_string(), "]"]),
            }
            text
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if nth == 0 => f.write_str(&escaped(name))?,
                Step::Field(name) => write!(f, ".{}", escaped(name))?,
                Step::Entry(key) => write!(f, "[{}]", escaped(key))?,
                Step::Item(index, _) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
