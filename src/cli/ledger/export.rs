//! `draguard ledger export`.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::LedgerError;
use crate::cli::written;
use crate::journal::fetch::{FetchError, fetch};
use crate::journal::manifests;
use crate::ledger::journal;
use crate::model::version::Version;

/// Where a running server's ledger is, unless told otherwise.
const USUAL: &str = "http://127.0.0.1:9090/ledger";

/// Print the whole ledger, one JSON document a line.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The ledger of a running server.
    #[arg(long, value_name = "URL", default_value = USUAL)]
    from: String,
    /// The ledger of the nodes, slices, claims and pods in DIR.
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    standalone: Option<PathBuf>,
    /// The release whose footprints are computed for the objects in DIR.
    #[arg(long, value_enum, value_name = "VERSION", default_value = "1.37", requires = "standalone")]
    kube_version: KubeVersion,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KubeVersion {
    #[value(name = "1.36", alias = "v1.36")]
    V1_36,
    #[value(name = "1.37", alias = "v1.37")]
    V1_37,
}

impl From<KubeVersion> for Version {
    fn from(version: KubeVersion) -> Self {
        match version {
            KubeVersion::V1_36 => Self::V136,
            KubeVersion::V1_37 => Self::V137,
        }
    }
}

impl Export {
    pub(super) fn run(self) -> Result<ExitCode, LedgerError> {
        match self.standalone {
            Some(dir) => of_manifests(&dir, self.kube_version.into()),
            None => of_server(self.from),
        }
    }
}

fn of_manifests(dir: &Path, version: Version) -> Result<ExitCode, LedgerError> {
    let (ledger, left_out) = manifests::load(dir, version)?;
    if !left_out.is_empty() {
        return Err(LedgerError::LeftOut(left_out));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    written(
        journal::export(&ledger, 0).try_for_each(|line| out.write_all(line.as_bytes())).and_then(|()| out.flush()),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn of_server(url: String) -> Result<ExitCode, LedgerError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let fetched = runtime.block_on(fetch(&url, &mut BufWriter::new(io::stdout())));
    match fetched {
        Err(FetchError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        result => result.map(|()| ExitCode::SUCCESS).map_err(|error| LedgerError::Fetch { url, error }),
    }
}
