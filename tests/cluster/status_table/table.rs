//! The table as text, which a person can read and a test can compare.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::changes::CHANGES;
use super::writers::WRITERS;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// An update.
    Put,
    /// A merge patch.
    Patch,
}

/// Both.
pub const VERBS: &[Verb] = &[Verb::Put, Verb::Patch];

/// What came of one write.
pub type Cell = String;

/// A place of the table: verb, change, writer.
pub type Place = (Verb, usize, usize);

/// All cells.
#[derive(Default)]
pub struct Table(BTreeMap<Place, Cell>);

impl Table {
    /// Notes a cell.
    pub fn set(&mut self, place: Place, cell: Cell) {
        self.0.insert(place, cell);
    }

    /// Every place with its cell.
    pub fn cells(&self) -> impl Iterator<Item = (Place, &str)> {
        self.0.iter().map(|(place, cell)| (*place, cell.as_str()))
    }

    /// A cell, empty where nothing is known.
    pub fn at(&self, place: Place) -> &str {
        self.0.get(&place).map_or("", Cell::as_str)
    }

    /// The table after `head`.
    pub fn text(&self, head: &str) -> String {
        let mut text = head.to_owned();
        for (nth, writer) in WRITERS.iter().enumerate() {
            writeln!(text, "# {:>2} {}", nth + 1, writer.says).expect("text");
        }
        for verb in VERBS {
            let writers: Vec<usize> = (0..WRITERS.len()).filter(|nth| WRITERS[*nth].verbs.contains(verb)).collect();
            let row = |name: &str, cells: &mut dyn Iterator<Item = String>| {
                let cells: Vec<String> = cells.map(|cell| format!("{cell:<WIDE$}")).collect();
                format!("{name:<LONG$} | {}", cells.join(" ").trim_end())
            };
            let numbers = row(title(*verb), &mut writers.iter().map(|nth| (nth + 1).to_string()));
            write!(
                text,
                "
{numbers}
"
            )
            .expect("text");
            for change in 0..CHANGES.len() {
                let mut cells = writers.iter().map(|writer| self.at((*verb, change, *writer)).to_owned());
                writeln!(text, "{}", row(&line(change), &mut cells)).expect("text");
            }
        }
        text
    }

    /// Reads the table again. What has become of another name is not found.
    pub fn parse(text: &str) -> Table {
        let mut table = Table::default();
        let (mut verb, mut writers) = (Verb::Put, Vec::new());
        for (name, cells) in text.lines().filter_map(|row| row.split_once(" | ")) {
            let (name, cells) = (name.trim_end(), cells.split_whitespace());
            if let Some(other) = VERBS.iter().find(|verb| title(**verb) == name) {
                let numbers = cells.filter_map(|number| number.parse::<usize>().ok());
                (verb, writers) = (*other, numbers.collect());
                continue;
            }
            let Some(change) = (0..CHANGES.len()).find(|change| line(*change) == name) else { continue };
            for (writer, cell) in writers.iter().zip(cells) {
                table.set((verb, change, writer - 1), cell.to_owned());
            }
        }
        table
    }

    /// Where another table says something else, one sentence each.
    pub fn differences(&self, other: &Table) -> Vec<String> {
        let differing = self.cells().filter(|(place, cell)| other.at(*place) != *cell);
        differing.map(|(place, cell)| format!("{}: {cell:?}, not {:?}", sentence(place), other.at(place))).collect()
    }
}

/// Who does what.
pub fn sentence((verb, change, writer): Place) -> String {
    format!("{} of {}, by {}", title(verb), line(change), WRITERS[writer].says)
}

/// The longest line's length, and the longest cell's.
const LONG: usize = 67;
const WIDE: usize = 3;

fn line(change: usize) -> String {
    format!("{}: {}", CHANGES[change].claim, CHANGES[change].says)
}

fn title(verb: Verb) -> &'static str {
    match verb {
        Verb::Put => "PUT",
        Verb::Patch => "PATCH",
    }
}
