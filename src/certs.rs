//! Certificates for development: an authority of one use, and a leaf that it signed.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};

const LIFE: Duration = Duration::days(365);
/// For clocks that are behind this one.
const BACK: Duration = Duration::minutes(5);

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The authority's certificate, for `--ca-bundle`.
    pub ca: PathBuf,
    /// The leaf, for `--tls-cert`.
    pub cert: PathBuf,
    /// The leaf's key, for `--tls-key`.
    pub key: PathBuf,
}

/// Why no certificate was made.
#[derive(Debug, thiserror::Error)]
pub enum CertsError {
    /// A host that no certificate can name, or no entropy.
    #[error("no certificate can be made: {0}")]
    Make(#[from] rcgen::Error),
    /// A file cannot be written.
    #[error("{}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Makes an authority and a leaf for `hosts`, and writes `ca.crt`, `tls.crt` and `tls.key` into `dir`. The authority's
/// key is forgotten, so that nobody can sign with it later.
pub fn issue(dir: &Path, hosts: &[String]) -> Result<Paths, CertsError> {
    let authority_key = KeyPair::generate()?;
    let ca = authority().self_signed(&authority_key)?;
    let key = KeyPair::generate()?;
    let cert = leaf(hosts)?.signed_by(&key, &Issuer::new(authority(), authority_key))?;
    fs::create_dir_all(dir).map_err(|source| CertsError::Write { file: dir.to_owned(), source })?;
    let paths = Paths { ca: dir.join("ca.crt"), cert: dir.join("tls.crt"), key: dir.join("tls.key") };
    write(&paths.key, &key.serialize_pem(), 0o600)?;
    write(&paths.cert, &cert.pem(), 0o644)?;
    write(&paths.ca, &ca.pem(), 0o644)?;
    Ok(paths)
}

fn authority() -> CertificateParams {
    let mut params = dated(CertificateParams::default());
    params.distinguished_name.push(DnType::CommonName, "draguard development authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn leaf(hosts: &[String]) -> Result<CertificateParams, CertsError> {
    let mut params = dated(CertificateParams::new(hosts.to_vec())?);
    params.distinguished_name.push(DnType::CommonName, "draguard");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn dated(mut params: CertificateParams) -> CertificateParams {
    let now = OffsetDateTime::now_utc();
    params.not_before = now - BACK;
    params.not_after = now + LIFE;
    params
}

/// Writes a new file and renames it into place, so that a key is never readable by others, not even for a moment.
fn write(file: &Path, text: &str, mode: u32) -> Result<(), CertsError> {
    let beside = file.with_extension("new");
    let written = create(&beside, mode)
        .and_then(|mut new| new.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, file));
    written.map_err(|source| CertsError::Write { file: file.to_owned(), source })
}

fn create(file: &Path, mode: u32) -> io::Result<fs::File> {
    let _ = fs::remove_file(file);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    options.open(file)
}
