//! A certificate authority and a server certificate of draguard's own.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use time::{Duration, OffsetDateTime};

use super::certificate::Validity;

const CA_LIFE: Duration = Duration::days(3650);
const LEAF_LIFE: Duration = Duration::days(365);
/// For clocks that are behind this one.
const BACK: Duration = Duration::minutes(5);

/// Where own certificates lie, and whom they name.
#[derive(Debug, Clone)]
pub struct SelfSigned {
    /// The folder of `ca.crt`, `ca.key`, `tls.crt` and `tls.key`.
    pub dir: PathBuf,
    /// Host names and addresses.
    pub hosts: Vec<String>,
}

/// Why no certificate could be made.
#[derive(Debug, thiserror::Error)]
pub enum SelfSignedError {
    /// A file cannot be written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A host name that no certificate can carry, or no entropy.
    #[error("no certificate could be made: {0}")]
    Making(#[from] rcgen::Error),
    /// No name at all.
    #[error("a certificate needs at least one host name")]
    NoHost,
    /// The authority in the folder is somebody else's.
    #[error("{} was not made by draguard: {error}", path.display())]
    Foreign {
        /// The authority's certificate.
        path: PathBuf,
        /// What verification said.
        error: rustls::Error,
    },
}

impl SelfSigned {
    /// The server certificate's file.
    #[must_use]
    pub fn cert(&self) -> PathBuf {
        self.dir.join("tls.crt")
    }

    /// The server key's file.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.dir.join("tls.key")
    }

    /// The authority's certificate, for `caBundle`.
    #[must_use]
    pub fn ca(&self) -> PathBuf {
        self.dir.join("ca.crt")
    }

    /// Makes a new server certificate, signed by the authority in the folder, or by a new one when that is missing,
    /// expired or has lost its key.
    ///
    /// # Errors
    /// When files cannot be written or a host is not a name.
    pub fn make(&self, now: i64) -> Result<(), SelfSignedError> {
        fs::create_dir_all(&self.dir).map_err(|error| SelfSignedError::File { path: self.dir.clone(), error })?;
        let authority = if let Some(authority) = self.existing(now) {
            authority
        } else {
            self.warn_of_loss();
            self.new_authority()?
        };
        let key = KeyPair::generate()?;
        let leaf =
            leaf(&self.hosts, authority.ends)?.signed_by(&key, &Issuer::new(authority_params(), authority.key))?;
        self.verify(&authority.cert, leaf.der())?;
        write(&self.cert(), leaf.pem().as_bytes(), 0o644)?;
        write(&self.key(), key.serialize_pem().as_bytes(), 0o600)
    }

    /// Whoever trusts the old authority has to be told of the new one.
    fn warn_of_loss(&self) {
        if self.ca().exists() {
            let file = self.ca().display().to_string();
            tracing::warn!(
                file,
                "expired, or of no use with its key: a new authority takes its place in every caBundle"
            );
        }
    }

    fn existing(&self, now: i64) -> Option<Authority> {
        let cert = CertificateDer::from_pem_slice(&fs::read(self.ca()).ok()?).ok()?;
        let key = KeyPair::from_pem(&fs::read_to_string(self.ca_key()).ok()?).ok()?;
        let validity = Validity::of(&cert)?;
        let public = key.subject_public_key_info();
        let is_pair = cert.windows(public.len()).any(|part| part == public);
        let usable = is_pair && validity.fault(now).is_none() && !validity.is_old(now);
        usable.then_some(Authority { cert, key, ends: validity.not_after })
    }

    fn new_authority(&self) -> Result<Authority, SelfSignedError> {
        let (params, key) = (authority_params(), KeyPair::generate()?);
        let ends = params.not_after.unix_timestamp();
        let cert = params.self_signed(&key)?;
        write(&self.ca_key(), key.serialize_pem().as_bytes(), 0o600)?;
        write(&self.ca(), cert.pem().as_bytes(), 0o644)?;
        Ok(Authority { cert: cert.der().clone(), key, ends })
    }

    fn ca_key(&self) -> PathBuf {
        self.dir.join("ca.key")
    }

    fn verify(&self, authority: &CertificateDer<'static>, leaf: &CertificateDer<'_>) -> Result<(), SelfSignedError> {
        let host = self.hosts.first().ok_or(SelfSignedError::NoHost)?;
        accepts(authority.clone(), leaf, host).map_err(|error| SelfSignedError::Foreign { path: self.ca(), error })
    }
}

struct Authority {
    cert: CertificateDer<'static>,
    key: KeyPair,
    ends: i64,
}

fn authority_params() -> CertificateParams {
    let mut params = dated(CertificateParams::default(), CA_LIFE);
    params.distinguished_name.push(DnType::CommonName, "draguard self-signed authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn leaf(hosts: &[String], authority_ends: i64) -> Result<CertificateParams, SelfSignedError> {
    let mut params = dated(CertificateParams::new(hosts.to_vec())?, LEAF_LIFE);
    params.distinguished_name.push(DnType::CommonName, "draguard");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.use_authority_key_identifier_extension = true;
    if let Ok(ends) = OffsetDateTime::from_unix_timestamp(authority_ends) {
        params.not_after = params.not_after.min(ends);
    }
    Ok(params)
}

fn dated(mut params: CertificateParams, life: Duration) -> CertificateParams {
    let now = OffsetDateTime::now_utc();
    params.not_before = now - BACK;
    params.not_after = now + life;
    params
}

/// Verifies the leaf as a client would.
fn accepts(authority: CertificateDer<'static>, leaf: &CertificateDer<'_>, host: &str) -> Result<(), rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(authority)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| rustls::Error::General(error.to_string()))?;
    let name = match host.parse::<IpAddr>() {
        Ok(address) => ServerName::from(address),
        Err(_) => ServerName::try_from(host).map_err(|error| rustls::Error::General(error.to_string()))?,
    };
    verifier.verify_server_cert(leaf, &[], &name, &[], UnixTime::now()).map(drop)
}

/// Writes beside and renames, so that a reader never sees half a file, nor a key with a lax mode.
fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), SelfSignedError> {
    let beside = path.with_extension("new");
    let result =
        open_new(&beside, mode).and_then(|mut file| file.write_all(content)).and_then(|()| fs::rename(&beside, path));
    result.map_err(|error| SelfSignedError::File { path: path.to_owned(), error })
}

fn open_new(path: &Path, mode: u32) -> io::Result<fs::File> {
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    options.open(path)
}
