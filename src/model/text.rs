//! Text from outside, made safe to print.

/// `text` with control, bidirectional and zero-width characters escaped, since findings go to terminals and logs,
/// and cut to a bounded length.
#[must_use]
pub fn escaped(text: &str) -> String {
    const LONGEST: usize = 512;
    let mut out = String::with_capacity(text.len().min(LONGEST));
    for character in text.chars() {
        if out.len() >= LONGEST {
            out.push('…');
            break;
        }
        if is_unprintable(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// A value as a reader should see it: quoted, and with everything that is not plain ASCII escaped.
#[must_use]
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 128;
    let mut out = String::from("\"");
    for character in text.chars() {
        if out.len() >= LONGEST {
            out.push('…');
            break;
        }
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            ' '..='~' => out.push(character),
            _ => out.extend(character.escape_unicode()),
        }
    }
    out.push('"');
    out
}

fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
