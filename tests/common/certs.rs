//! Certificates with any dates, and the way Kubernetes swaps a mounted Secret.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use time::{Duration, OffsetDateTime};

/// An authority and what it signs.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

/// A certificate and its key, as PEM.
pub struct Pair {
    pub cert: String,
    pub key: String,
}

impl Authority {
    /// A new authority.
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A certificate for 127.0.0.1, valid from and until so many seconds from now.
    pub fn sign(&self, from: i64, until: i64) -> Pair {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.not_before = OffsetDateTime::now_utc() + Duration::seconds(from);
        params.not_after = OffsetDateTime::now_utc() + Duration::seconds(until);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair { cert, key: key.serialize_pem() }
    }
}

/// Replaces the content of a mounted Secret as a kubelet does: a new folder, then one rename of the link `..data`.
pub fn swap_secret(dir: &Path, version: &str, pair: &Pair) {
    let folder = format!("..{version}");
    fs::create_dir(dir.join(&folder)).unwrap();
    fs::write(dir.join(&folder).join("tls.crt"), &pair.cert).unwrap();
    fs::write(dir.join(&folder).join("tls.key"), &pair.key).unwrap();
    let old = fs::read_link(dir.join("..data")).ok();
    symlink(&folder, dir.join("..data_tmp")).unwrap();
    fs::rename(dir.join("..data_tmp"), dir.join("..data")).unwrap();
    match old {
        Some(old) => fs::remove_dir_all(dir.join(old)).unwrap(),
        None => ["tls.crt", "tls.key"]
            .iter()
            .for_each(|file| symlink(Path::new("..data").join(file), dir.join(file)).unwrap()),
    }
}
