//! `draguard certs`: what it writes is accepted by a TLS client, and only its owner can read the key.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use draguard::wire::certificate::now;
use draguard::wire::self_signed::SelfSigned;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

/// A scratch folder of one test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("draguard-certs-{test}-{}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn make(dir: &Path, hosts: &[&str]) -> SelfSigned {
    let made = SelfSigned { dir: dir.to_owned(), hosts: hosts.iter().map(ToString::to_string).collect() };
    made.make(now()).unwrap();
    made
}

fn accepts(paths: &SelfSigned, host: &str) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(paths.ca()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
    let leaf = CertificateDer::from_pem_file(paths.cert()).unwrap();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    verifier.verify_server_cert(&leaf, &[], &name, &[], UnixTime::now()).is_ok()
}

#[test]
fn clients_accept_the_named_hosts_and_no_other() {
    let scratch = Scratch::new("hosts");
    let paths = make(&scratch.0, &["draguard.draguard-system.svc", "127.0.0.1"]);
    assert!(accepts(&paths, "draguard.draguard-system.svc") && accepts(&paths, "127.0.0.1"));
    assert!(!accepts(&paths, "example.com") && !accepts(&paths, "127.0.0.2"));
}

#[test]
fn key_and_certificate_belong_together() {
    let scratch = Scratch::new("pair");
    let paths = make(&scratch.0, &["localhost"]);
    let chain = vec![CertificateDer::from_pem_file(paths.cert()).unwrap()];
    let key = PrivateKeyDer::from_pem_file(paths.key()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    assert!(builder.with_no_client_auth().with_single_cert(chain, key).is_ok());
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_the_key_even_when_it_replaces_a_lax_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("mode");
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(scratch.0.join("tls.key"), "old").unwrap();
    fs::set_permissions(scratch.0.join("tls.key"), fs::Permissions::from_mode(0o666)).unwrap();
    let paths = make(&scratch.0, &["localhost"]);
    assert_eq!(fs::metadata(paths.key()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_second_run_replaces_all_of_it() {
    let scratch = Scratch::new("again");
    let first = make(&scratch.0, &["localhost"]);
    let old = fs::read(first.cert()).unwrap();
    let second = make(&scratch.0, &["localhost"]);
    assert!(old != fs::read(second.cert()).unwrap() && accepts(&second, "localhost"));
}

#[test]
fn errors_say_which_file() {
    let scratch = Scratch::new("errors");
    fs::create_dir_all(&scratch.0).unwrap();
    let file = scratch.0.join("file");
    fs::write(&file, "").unwrap();
    let made = SelfSigned { dir: file, hosts: vec!["localhost".to_owned()] };
    let error = made.make(now()).unwrap_err().to_string();
    assert!(error.contains("file"), "{error}");
}
