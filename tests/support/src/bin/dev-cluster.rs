//! A control plane to play with: `cargo run -p draguard-testbed --bin dev-cluster -- v1.37`.
//!
//! Ends with Ctrl-C, and leaves nothing behind.

use draguard_testbed::objects::{add_node, node};
use draguard_testbed::{ControlPlane, Options, Version};

fn main() {
    let name = std::env::args().nth(1);
    let name = name.as_deref().unwrap_or("v1.37");
    let Some(version) = Version::ALL.into_iter().find(|v| v.name() == name) else {
        eprintln!("usage: dev-cluster [v1.36|v1.37]");
        std::process::exit(2);
    };
    let cluster = ControlPlane::start(&Options::new(version));
    for name in ["node-a", "node-b"] {
        add_node(&cluster.admin(), &node(version, name, "8", "16Gi"));
    }
    let kubectl = cluster.kubectl();
    println!("export KUBECONFIG={}", kubectl.kubeconfig());
    println!("{} get nodes", kubectl.program().display());
    println!("Ctrl-C ends it.");
    loop {
        std::thread::park();
    }
}
