//! `draguard demo`: the real server, real reviews, real TLS, and nothing to install.

mod answer;
mod client;
mod recorded;
mod table;

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io};

use arc_swap::ArcSwap;
use clap::Args;

use self::answer::Answer;
use self::client::{Client, ClientError};
use self::recorded::{ALL, Recorded};
use self::table::Row;
use crate::guard::Guard;
use crate::wire::limits::Limits;
use crate::wire::listener::{Options, Server, ServerError};
use crate::wire::self_signed::SelfSigned;
use crate::wire::tls::Source;

/// Flags of `draguard demo`.
#[derive(Debug, Args)]
pub(super) struct Demo {}

/// Why the demo could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum DemoError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot start: {0}")]
    Runtime(#[from] io::Error),
    #[error("cannot write the table: {0}")]
    Write(io::Error),
}

impl Demo {
    /// Plays the demo; successful only when every verdict is the expected one.
    pub(super) fn run(self) -> Result<ExitCode, DemoError> {
        let Self {} = self;
        let folder = Folder::new();
        let rows = tokio::runtime::Runtime::new()?.block_on(play(&folder))?;
        let mut out = io::stdout().lock();
        write!(out, "{}", table::render(&rows)).map_err(DemoError::Write)?;
        let wrong = rows.iter().filter(|row| !row.expected).count();
        writeln!(out, "\n{} reviews answered over TLS, {wrong} not as expected", rows.len())
            .map_err(DemoError::Write)?;
        Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

async fn play(folder: &Folder) -> Result<Vec<Row>, DemoError> {
    let certificate = SelfSigned { dir: folder.0.clone(), hosts: vec![Ipv4Addr::LOCALHOST.to_string()] };
    let server = Server::start(options(certificate.clone()), Arc::new(ArcSwap::from_pointee(Guard::default())), None)?;
    let mut client = Client::connect(server.address, &certificate.ca()).await?;
    let mut rows = Vec::with_capacity(ALL.len());
    for recorded in ALL {
        rows.push(send(&mut client, recorded).await?);
    }
    server.stop(Duration::ZERO, Duration::from_secs(1)).await;
    Ok(rows)
}

async fn send(client: &mut Client, recorded: &Recorded) -> Result<Row, DemoError> {
    let answer = Answer::of(&client.post(recorded.path, recorded.body).await?);
    Ok(Row::of(recorded, &answer))
}

fn options(certificate: SelfSigned) -> Options {
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Options {
        listen: free,
        probe_listen: free,
        metrics_listen: free,
        metrics_by_node: true,
        certificate: Source::SelfSigned(certificate),
        reload_every: Duration::from_mins(1),
        limits: Limits::default(),
    }
}

/// A folder of this run's own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(env::temp_dir().join(format!("draguard-demo-{}", process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
