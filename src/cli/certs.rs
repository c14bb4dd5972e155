//! `draguard certs`: certificates for development.

use std::path::PathBuf;

use clap::Args;

use crate::wire::certificate;
use crate::wire::self_signed::{SelfSigned, SelfSignedError};

/// Flags of `draguard certs`.
#[derive(Debug, Args)]
pub struct Certs {
    /// Folder of ca.crt, ca.key, tls.crt and tls.key; an authority that is there is used again.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Host name or address that the certificate names (repeatable).
    #[arg(long, value_name = "NAME",
          default_values = ["draguard.draguard-system.svc", "localhost", "127.0.0.1", "::1"])]
    host: Vec<String>,
}

impl Certs {
    /// Makes the certificates and says where they are.
    pub fn run(self) -> Result<(), SelfSignedError> {
        let made = SelfSigned { dir: self.dir, hosts: self.host };
        made.make(certificate::now())?;
        println!("{}\n{}\n{}", made.ca().display(), made.cert().display(), made.key().display());
        Ok(())
    }
}
