//! The way to the API server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

/// Time to connect. What a request may take is bounded where it is made: a watch goes on for long.
const CONNECT: Duration = Duration::from_secs(5);
/// Time to write a request.
const WRITE: Duration = Duration::from_secs(10);

/// Why there is no way.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file is none that says where the API server is.
    #[error("{}: {source}", file.display())]
    Kubeconfig {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: KubeconfigError,
    },
    /// Not in a pod with a service account.
    #[error("no --kubeconfig is given, and this is no pod with a service account's token: {0}")]
    InCluster(#[from] InClusterError),
    /// What the configuration says cannot be used.
    #[error("the client's configuration cannot be used: {0}")]
    Config(#[from] kube::Error),
}

/// A client from a kubeconfig file, else from the service account of the pod that this runs in. Nothing is sent yet.
///
/// # Errors
///
/// When the configuration is missing or wrong.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<Client, ConnectError> {
    let mut config = match kubeconfig {
        Some(file) => from_file(file).await?,
        None => Config::incluster()?,
    };
    config.connect_timeout = Some(CONNECT);
    config.write_timeout = Some(WRITE);
    config.read_timeout = None;
    // Watches and probes have their own back-off, and a live read has no time for a second try.
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

async fn from_file(file: &Path) -> Result<Config, ConnectError> {
    let fail = |source| ConnectError::Kubeconfig { file: file.to_owned(), source };
    let kubeconfig = Kubeconfig::read_from(file).map_err(fail)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.map_err(fail)
}
