//! What was probably meant by a word that is no known name.

use std::cmp::Reverse;

/// Longer words are no slip of the pen, and the distance takes memory of the product of both lengths.
const LONGEST: usize = 64;

/// The known name nearest to a word, whatever the case: one letter away, or two where the word has eight or more. Of
/// equally near ones it is the last.
#[must_use]
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let allowed = if word.len() < 8 { 1 } else { 2 };
    let measured = known.iter().map(|name| (strsim::damerau_levenshtein(&word, &name.to_lowercase()), *name));
    let near = measured.filter(|(distance, _)| *distance <= allowed);
    near.max_by_key(|(distance, _)| Reverse(*distance)).map(|(_, name)| name)
}
