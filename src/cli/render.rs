//! `draguard render`: the manifests of this version, from flags. The files under `manifests/` are the one source.

mod rbac;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Subcommand, ValueEnum};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use self::rbac::Rbac;
use crate::model::name::is_label;

/// The files of `manifests/base`, in the order in which they are applied.
const WORKLOAD: [&str; 5] = [
    include_str!("../../manifests/base/namespace.yaml"),
    include_str!("../../manifests/base/rbac.yaml"),
    include_str!("../../manifests/base/settings.yaml"),
    include_str!("../../manifests/base/network.yaml"),
    include_str!("../../manifests/base/workload.yaml"),
];
/// The files of `manifests/webhooks`: applied last, since from then on API servers call.
const WEBHOOKS: [&str; 2] =
    [include_str!("../../manifests/webhooks/mutating.yaml"), include_str!("../../manifests/webhooks/validating.yaml")];
/// The file of `manifests/bindings`: only on demand.
const BINDINGS: &str = include_str!("../../manifests/bindings/validating.yaml");
/// The namespace that the files name.
const NAMESPACE: &str = "draguard-system";
/// The image that the files name.
const IMAGE: &str = "draguard:0.1.0";

/// Flags of `draguard render`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Render {
    #[command(subcommand)]
    other: Option<Other>,
    /// Namespace of draguard itself; its own pods are never judged.
    #[arg(long, value_name = "NAME", default_value = NAMESPACE, value_parser = namespace)]
    pub namespace: String,
    /// Container image.
    #[arg(long, value_name = "IMAGE", default_value = IMAGE, value_parser = image)]
    pub image: String,
    /// Call a draguard that runs outside the cluster; only the webhook configurations are printed.
    #[arg(long, value_name = "https://HOST:PORT", value_parser = url)]
    pub url: Option<String>,
    /// PEM file of the authority that signed the served certificate.
    #[arg(long, value_name = "FILE")]
    pub ca_bundle: Option<PathBuf>,
    /// Ask draguard about every binding of a pod too; it never waits for the answer.
    #[arg(long)]
    pub check_bindings: bool,
    /// Print one part.
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Option<Part>,
}

/// What is printed in place of an installation.
#[derive(Debug, Clone, Subcommand)]
enum Other {
    /// Print the smallest role of a driver, and its binding.
    Rbac(Rbac),
}

/// One part of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Everything but the webhook configurations.
    Workload,
    /// The webhook configurations: applied last, removed first.
    Webhooks,
}

/// Why nothing was printed.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The bundle cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The bundle is not what API servers want.
    #[error("{}: {reason}", file.display())]
    Bundle {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// Standard output is closed.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Render {
    /// Prints the manifests.
    pub fn run(self) -> Result<(), RenderError> {
        if let Some(Other::Rbac(rbac)) = &self.other {
            return Ok(io::stdout().write_all(rbac.text().as_bytes())?);
        }
        let bundle = self.ca_bundle.as_deref().map(bundle).transpose()?;
        if bundle.is_none() && self.prints(Part::Webhooks) {
            eprintln!("draguard: without --ca-bundle an API server trusts draguard only if its own roots do");
        }
        Ok(io::stdout().write_all(self.text(bundle.as_deref()).as_bytes())?)
    }

    /// The manifests, with `bundle` (base64) as the webhooks' `caBundle`.
    #[must_use]
    pub fn text(&self, bundle: Option<&str>) -> String {
        let workload = WORKLOAD.iter().filter(|_| self.prints(Part::Workload));
        let webhooks = WEBHOOKS.iter().filter(|_| self.prints(Part::Webhooks));
        let bindings = [BINDINGS];
        let bindings = bindings.iter().filter(|_| self.check_bindings && self.prints(Part::Webhooks));
        workload.chain(webhooks).chain(bindings).map(|file| self.fill(file, bundle)).collect::<Vec<_>>().join("---\n")
    }

    fn prints(&self, part: Part) -> bool {
        match self.only {
            Some(only) => only == part,
            None => part == Part::Webhooks || self.url.is_none(),
        }
    }

    /// One file, with what the flags say in place of what it says. A service stands on one line in these files.
    fn fill(&self, file: &str, bundle: Option<&str>) -> String {
        const SERVICE: &str = "      service: {";
        file.lines().fold(String::new(), |mut text, line| {
            let line = line.replace(NAMESPACE, &self.namespace);
            let service = line.starts_with(SERVICE);
            match &self.url {
                Some(url) if service => text.extend(["      url: ", url, endpoint(&line)]),
                _ => text.push_str(&line.replace(&format!("image: {IMAGE}"), &format!("image: {}", self.image))),
            }
            text.push('\n');
            if let (true, Some(bundle)) = (service, bundle) {
                text.extend(["      caBundle: ", bundle, "\n"]);
            }
            text
        })
    }
}

/// The path that a line with a service names.
fn endpoint(line: &str) -> &str {
    line.rsplit_once("path: ").map_or("", |(_, path)| path.trim_end_matches('}'))
}

/// The authority's certificates as API servers want them; a key must never get into a webhook configuration.
fn bundle(file: &Path) -> Result<String, RenderError> {
    let pem = std::fs::read(file).map_err(|source| RenderError::Read { file: file.to_owned(), source })?;
    let reject = |reason| Err(RenderError::Bundle { file: file.to_owned(), reason });
    if String::from_utf8_lossy(&pem).contains("PRIVATE KEY") {
        return reject("holds a private key; only the authority's certificate belongs here");
    }
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match certificates {
        Ok(found) if !found.is_empty() => Ok(STANDARD.encode(pem)),
        _ => reject("holds no certificate in PEM form"),
    }
}

fn namespace(text: &str) -> Result<String, String> {
    if is_label(text) { Ok(text.to_owned()) } else { Err("expected the name of a namespace".to_owned()) }
}

fn image(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:@".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return Ok(text.to_owned());
    }
    Err("expected an image such as registry.example/draguard:0.1.0".to_owned())
}

fn url(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let host = text.trim_end_matches('/').strip_prefix("https://").unwrap_or_default();
    if !host.is_empty() && host.bytes().all(plain) {
        return Ok(format!("https://{host}"));
    }
    Err("expected https://HOST:PORT without a path".to_owned())
}
