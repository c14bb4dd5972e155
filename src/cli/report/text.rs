//! Findings as a compiler writes them.

use std::io::{self, Write};

use super::{Entry, Report, Summary};
use crate::model::text::escaped;
use crate::verdict::finding::Severity;

/// How many characters of a long line are shown before and behind the place.
const AROUND: (usize, usize) = (80, 60);

/// Writes text, coloured or not.
pub(in crate::cli) struct Text<W> {
    out: W,
    paint: Paint,
}

impl<W: Write> Text<W> {
    pub(in crate::cli) const fn new(out: W, colored: bool) -> Self {
        Self { out, paint: Paint(colored) }
    }

    fn head(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let (ruling, place, paint) = (&entry.ruling, entry.place, self.paint);
        let color = if ruling.severity == Severity::Deny { Color::Red } else { Color::Yellow };
        let label = format!("{}[{}]", ruling.severity.as_str(), ruling.finding.rule.id);
        let at = format!("{}:{}:{}", escaped(entry.file), place.line, place.column);
        write!(self.out, "{} {}", paint.with(color, &label), paint.with(Color::Bold, &at))?;
        let (object, path) = (title(entry), ruling.finding.path.to_string());
        for part in [object, path].iter().filter(|part| !part.is_empty()) {
            write!(self.out, "  {part}")?;
        }
        writeln!(self.out, "\n  {}", ruling.finding.message())
    }

    fn quote(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let line = entry.lines.text(entry.place.line);
        if line.trim().is_empty() {
            return Ok(());
        }
        let number = entry.place.line.to_string();
        let (text, column) = window(&line, entry.place.column);
        let (gutter, paint) = (" ".repeat(number.len()), self.paint);
        let bar = |left: &str| paint.with(Color::Blue, &format!("{left} |"));
        let caret = paint.with(Color::Bold, "^");
        writeln!(self.out, "  {}\n  {} {text}", bar(&gutter), bar(&number))?;
        writeln!(self.out, "  {} {}{caret}", bar(&gutter), " ".repeat(column))
    }

    fn notes(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let remedy = escaped(&entry.ruling.finding.remedy);
        if !remedy.is_empty() {
            writeln!(self.out, "  {} {remedy}", self.paint.with(Color::Cyan, "= help:"))?;
        }
        if entry.ruling.would {
            writeln!(self.out, "  {} audit mode lets it pass", self.paint.with(Color::Cyan, "= note:"))?;
        }
        writeln!(self.out)
    }
}

impl<W: Write> Report for Text<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.head(entry)?;
        self.quote(entry)?;
        self.notes(entry)?;
        self.out.flush()
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let Summary { files, objects, deny, warn } = *summary;
        let (files, objects) = (counted(files, "file"), counted(objects, "object"));
        let worst = match (deny, warn) {
            (0, 0) => "no finding".to_owned(),
            _ => format!("{deny} denied, {}", counted(warn, "warning")),
        };
        writeln!(self.out, "{} in {objects} of {files}", self.paint.with(Color::Bold, &worst))?;
        self.out.flush()
    }
}

/// Kind, namespace and name.
fn title(entry: &Entry<'_>) -> String {
    let object = &*entry.object;
    let name = match (object.namespace.as_str(), object.name.as_str()) {
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    };
    escaped([object.kind.as_str(), &name].join(" ").trim())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The part of a line around a column, fit to print, and where the column is in it.
fn window(line: &str, column: usize) -> (String, usize) {
    let (before, behind) = AROUND;
    let at = column.saturating_sub(1);
    let skipped = at.saturating_sub(before);
    let left: String = line.chars().skip(skipped).take(at - skipped).collect();
    let right: String = line.chars().skip(at).take(behind).collect();
    let start = if skipped > 0 { "…" } else { "" };
    let end = if line.chars().nth(at + behind).is_some() { "…" } else { "" };
    let left = format!("{start}{}", printable(&left));
    let column = left.chars().count();
    (format!("{left}{}{end}", printable(&right)), column)
}

fn printable(text: &str) -> String {
    escaped(&text.replace('\t', "    "))
}

#[derive(Debug, Clone, Copy)]
enum Color {
    Red,
    Yellow,
    Blue,
    Cyan,
    Bold,
}

#[derive(Debug, Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn with(self, color: Color, text: &str) -> String {
        let code = match color {
            Color::Red => "1;31",
            Color::Yellow => "1;33",
            Color::Blue => "1;34",
            Color::Cyan => "1;36",
            Color::Bold => "1",
        };
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn long_lines_are_cut_around_the_place() {
        assert_eq!(window("\ta: b", 5), ("    a: b".to_owned(), 7));
        let (text, column) = window(&"x".repeat(1000), 500);
        assert_eq!((text.chars().count(), column), (142, 81));
        assert_eq!(window("", 1), (String::new(), 0));
        assert_eq!(window("a\u{1b}[31mb", 3).0, r"a\u{1b}[31mb");
    }
}
