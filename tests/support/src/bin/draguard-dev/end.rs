//! What ends the cluster: a signal, or a terminal that is closed.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// How often the terminal is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Prints the text, and returns once the cluster is to end.
pub fn wait(text: &str) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        println!("{text}");
        io::stdout().flush()?;
        tokio::select! {
            () = heard(&mut interrupt) => {}
            () = heard(&mut terminate) => {}
            () = heard(&mut hangup) => {}
            () = closed() => {}
        }
        Ok(())
    })
}

async fn heard(signal: &mut Signal) {
    signal.recv().await;
}

/// A terminal's hangup is a signal to the first process of its session only, which may be `make`: but from then on it
/// is a terminal no more.
async fn closed() {
    let had_terminal = io::stdin().is_terminal();
    while !had_terminal || io::stdin().is_terminal() {
        tokio::time::sleep(LOOK).await;
    }
}
