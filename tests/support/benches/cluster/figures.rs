//! Medians, p99 and ratios.

use std::time::Duration;

use crate::{GUARDS, Guard};

/// What was measured, by kind of work and by guard.
#[derive(Default)]
pub struct Figures {
    samples: [[Vec<Duration>; 3]; 3],
}

impl Figures {
    /// Adds what one guard took for each kind of work.
    pub fn add(&mut self, guard: Guard, measured: &[Vec<Duration>; 3]) {
        let column = GUARDS.iter().position(|known| *known == guard).expect("a known guard");
        for (row, times) in self.samples.iter_mut().zip(measured) {
            row[column].extend(times);
        }
    }

    /// Prints one line a kind of work and guard.
    pub fn print(&mut self, kinds: &[&str; 3]) {
        println!("{:<18} {:<10} {:>5} {:>11} {:>11} {:>7}", "", "", "n", "median", "p99", "ratio");
        for (kind, row) in kinds.iter().zip(&mut self.samples) {
            row.iter_mut().for_each(|times| times.sort());
            let alone = quantile(&row[0], 0.5);
            for (guard, times) in GUARDS.iter().zip(row.iter()) {
                let (median, p99) = (quantile(times, 0.5), quantile(times, 0.99));
                let (name, n, ratio) = (name(*guard), times.len(), median / alone);
                println!("{kind:<18} {name:<10} {n:>5} {median:>8.2} ms {p99:>8.2} ms {ratio:>7.2}");
            }
        }
    }
}

fn name(guard: Guard) -> &'static str {
    match guard {
        Guard::None => "no webhook",
        Guard::Draguard => "draguard",
        Guard::Policy => "policy",
    }
}

/// Milliseconds below which this part of sorted times lies.
fn quantile(sorted: &[Duration], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = (last as f64 * part).round() as usize;
    sorted.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
