//! From an object's text to the object, or to the place where it cannot be read.

use serde::Deserialize;
use serde_path_to_error::Segment;

use super::path::Path;

/// Why an object could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct Unreadable {
    /// The field; the root for the object itself.
    pub path: Path,
    /// What is wrong there.
    pub problem: String,
}

/// Reads an object. Only a failure costs a second pass, which finds the field.
pub fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(json).map_err(|_| explain::<T>(json))
}

fn explain<'a, T: Deserialize<'a>>(json: &'a str) -> Unreadable {
    let mut reader = serde_json::Deserializer::from_str(json);
    match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Ok(_) => Unreadable { path: Path::root(), problem: "text follows the object".to_owned() },
        Err(error) => {
            let path = error.path().iter().fold(Path::root(), step);
            let problem = error.into_inner().to_string();
            // The position is one in the text that was made for reading, not in the file.
            let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
            Unreadable { path, problem }
        }
    }
}

fn step(path: Path, segment: &Segment) -> Path {
    match segment {
        Segment::Seq { index } => path.item(*index),
        Segment::Map { key } | Segment::Enum { variant: key } => path.field(key.clone()),
        Segment::Unknown => path,
    }
}
