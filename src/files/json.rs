//! JSON text into its values, without decoding them.

use serde_json::value::RawValue;

use super::yaml::Fault;

/// One value and the byte where it begins.
pub(super) type Value<'a> = (usize, &'a str);

/// The values of `text`, which may stand one behind the other; `visit` is called for each until a fault ends it.
pub(super) fn values<'a>(text: &'a str, visit: &mut dyn FnMut(Value<'a>)) -> Result<(), Fault> {
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        let value = value.map_err(|error| fault(text, &error))?.get();
        visit((start(text, value), value));
    }
    Ok(())
}

/// True when `text` begins as a JSON object does.
pub(super) fn is_likely(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// The byte of `text` where its slice `part` begins.
pub(super) fn start(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn fault(text: &str, error: &serde_json::Error) -> Fault {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let long = error.to_string();
    let problem = long.split(" at line ").next().unwrap_or_default().to_owned();
    Fault { at, problem }
}
