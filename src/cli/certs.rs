//! `draguard certs`: certificates for development.

use std::path::PathBuf;

use clap::Args;

use crate::certs::{CertsError, issue};

/// Flags of `draguard certs`.
#[derive(Debug, Args)]
pub struct Certs {
    /// Folder to write ca.crt, tls.crt and tls.key into.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Host name or address that the certificate names (repeatable).
    #[arg(long, value_name = "NAME",
          default_values = ["draguard.draguard-system.svc", "localhost", "127.0.0.1", "::1"])]
    host: Vec<String>,
}

impl Certs {
    /// Makes the certificates and says where they are.
    pub fn run(self) -> Result<(), CertsError> {
        let paths = issue(&self.dir, &self.host)?;
        println!("{}\n{}\n{}", paths.ca.display(), paths.cert.display(), paths.key.display());
        Ok(())
    }
}
