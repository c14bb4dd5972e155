//! `draguard render rbac`: the smallest role of a driver, and its binding.

use std::fmt::Write as _;

use clap::{ArgGroup, Args};

use crate::checks::smallest;
use crate::model::name::is_driver;
use crate::settings::Writer;
use crate::settings::names::service_account;

/// Flags of `draguard render rbac`.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("place").required(true))]
pub struct Rbac {
    /// The driver's name, as in spec.driver of its slices.
    #[arg(long, value_name = "NAME", value_parser = driver)]
    pub driver: String,
    /// Its pods write for their own node only.
    #[arg(long, group = "place")]
    pub node_local: bool,
    /// A controller that writes for every node.
    #[arg(long, group = "place")]
    pub cluster_wide: bool,
    /// The account it runs under; `kube-system/` and the driver's name in small letters when left out.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = account)]
    pub service_account: Option<(String, String)>,
}

impl Rbac {
    /// The role and its binding.
    #[must_use]
    pub fn text(&self) -> String {
        let name = &self.driver;
        let (namespace, account) =
            self.service_account.clone().unwrap_or_else(|| ("kube-system".to_owned(), name.to_ascii_lowercase()));
        let mut text = format!("# {}\n{}", self.reads(), head("ClusterRole", name));
        text.push_str("rules:\n");
        for grant in smallest::driver(name, self.writer()) {
            let fields: Vec<String> = grant.fields().collect();
            let _ = write!(text, "  # {}.\n  - {}\n", grant.purpose, fields.join("\n    "));
        }
        let _ = write!(text, "---\n{}", head("ClusterRoleBinding", name));
        let _ = write!(
            text,
            "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: \"{name}\"\nsubjects:\n  - kind: \
             ServiceAccount\n    name: \"{account}\"\n    namespace: \"{namespace}\"\n"
        );
        text
    }

    const fn writer(&self) -> Writer {
        if self.node_local { Writer::NodeLocal } else { Writer::ClusterWide }
    }

    const fn reads(&self) -> &'static str {
        match self.writer() {
            Writer::NodeLocal => {
                "Works with the tokens that kubelets give to pods: they name the node. A Secret's token does not."
            }
            Writer::ClusterWide => {
                "For a controller alone: whoever has its token speaks for the devices of every node."
            }
        }
    }
}

fn head(kind: &str, name: &str) -> String {
    format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: \"{name}\"\n")
}

fn driver(text: &str) -> Result<String, String> {
    if is_driver(text) { Ok(text.to_owned()) } else { Err("expected the name of a driver, such as dra.cpu".to_owned()) }
}

fn account(text: &str) -> Result<(String, String), String> {
    let parts = service_account(text).map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
    parts.ok_or_else(|| "expected NAMESPACE/NAME".to_owned())
}
