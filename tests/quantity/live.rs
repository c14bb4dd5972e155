//! The same comparison with Go itself, over many more texts, where Go is installed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use draguard::model::quantity::{Format, Quantity, QuantityError};

use crate::go_row::{Row, disagreements};

const COUNT: u32 = 20_000;

#[test]
fn agrees_with_go_on_many_texts() {
    let Some(program) = build() else {
        println!("skipped: the Go program could not be built here");
        return;
    };
    let answers = ask(&program, &texts());
    let (mut rows, mut valid) = (0, 0);
    for line in answers.lines() {
        let row: Row = serde_json::from_str(line).expect("a row");
        let wrong: Vec<_> = disagreements(&row).into_iter().filter(|what| !is_known(&row, what)).collect();
        assert!(wrong.is_empty(), "{:?}: {wrong:?}", row.input);
        rows += 1;
        valid += u32::from(row.answer.is_some());
    }
    assert_eq!(rows, COUNT);
    assert!(valid > COUNT / 2, "only {valid} of the texts are valid");
}

/// The differences of the table, as rules.
fn is_known(row: &Row, what: &str) -> bool {
    let quantity = match Quantity::parse(&row.input) {
        Ok(quantity) => quantity,
        Err(error) => return matches!(error, QuantityError::Exponent | QuantityError::Digits),
    };
    match what {
        "accepted" => row.skipped.is_some() && quantity.is_zero(),
        "value" => quantity.whole_ceil().is_none() || quantity.signum() < 0,
        "milli" => quantity.milli_ceil().is_none() || quantity.signum() < 0,
        "print" => quantity.format() == Format::DecimalSi && quantity.whole_ceil().is_none(),
        _ => false,
    }
}

fn build() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quantity-go");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quantity/go");
    let status =
        Command::new("go").args(["build", "-p", "2", "-o"]).arg(&program).arg(".").current_dir(source).status();
    status.is_ok_and(|status| status.success()).then_some(program)
}

fn ask(program: &Path, texts: &str) -> String {
    let mut child = Command::new(program)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Go program starts");
    let mut input = child.stdin.take().expect("its input");
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(texts.as_bytes()).expect("it reads"));
        let output = child.wait_with_output().expect("it ends");
        String::from_utf8(output.stdout).expect("it answers in UTF-8")
    })
}

/// Texts from a fixed sequence, one per line: mostly valid, some with a character changed.
fn texts() -> String {
    let mut random = Random(5517);
    let mut lines = String::new();
    for _ in 0..COUNT {
        let mut text = text(&mut random);
        if random.below(8) == 0 {
            text.insert(random.below(text.len()), random.pick(&['.', '-', '+', 'e', 'i', 'm', '0', 'K', ' ']));
        }
        writeln!(lines, "{text}").expect("memory");
    }
    lines
}

fn text(random: &mut Random) -> String {
    let sign = random.pick(&["", "", "", "-", "+"]);
    let whole = random.digits(22);
    let fraction = random.digits(16);
    let number = random.pick(&[format!("{whole}."), format!("{whole}.{fraction}"), format!("0.{fraction}"), whole]);
    let suffix = random.pick(&[
        "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e", "E", "e-", "E+",
    ]);
    let exponent =
        if suffix.starts_with(['e', 'E']) && suffix != "Ei" { random.below(60).to_string() } else { String::new() };
    format!("{sign}{number}{suffix}{exponent}")
}

/// A linear congruential sequence: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn digits(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        let digits = self.pick(&["0", "09", "0123456789", "0123456789"]);
        (0..count).map(|_| self.pick(&digits.chars().collect::<Vec<_>>())).collect()
    }
}
