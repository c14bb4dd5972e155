//! A control plane of its own: etcd, API server, and on request scheduler and controller manager.

use std::time::Duration;

use crate::cache::{CachedNode, cached_nodes};
use crate::client::{Client, Identity};
use crate::components::{self, Files};
use crate::driver_pod::token;
use crate::kubeconfig::kubeconfig;
use crate::pki::{Authority, Pair, signing_keys};
use crate::{Binaries, Kubectl, Options, Process, Version, Workspace, free_ports, wait_for};

/// Four seconds do on a quiet machine; on one that compiles at the same time it was seen to take minutes.
const READY: Duration = Duration::from_mins(10);
const TRIES: usize = 3;

/// A running control plane; dropped means gone, with all of its files.
pub struct ControlPlane {
    version: Version,
    server: String,
    etcd_url: String,
    authority: Authority,
    admin: Pair,
    binaries: Binaries,
    // Clients of the others first: fields are dropped in this order, the folder last.
    scheduler: Option<Process>,
    controllers: Option<Process>,
    api_server: Process,
    api_args: Vec<String>,
    etcd: Option<Process>,
    workspace: Workspace,
}

impl ControlPlane {
    /// Starts a control plane and waits until it serves.
    ///
    /// # Panics
    /// When it does not come up; the logs are kept.
    pub fn start(options: &Options) -> ControlPlane {
        Self::try_start(options).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Likewise, with the reason as an error.
    pub fn try_start(options: &Options) -> Result<ControlPlane, String> {
        let binaries = Binaries::find(options.version)?;
        let mut tries = 1;
        loop {
            match Self::start_once(options, &binaries) {
                // Somebody took a port in between, or a program gave up because another one did not answer in time.
                Err(e) if tries < TRIES && e.contains("ended with code") => tries += 1,
                result => return result,
            }
        }
    }

    fn start_once(options: &Options, binaries: &Binaries) -> Result<ControlPlane, String> {
        let workspace = Workspace::new().map_err(|e| format!("temporary folder: {e}"))?;
        match Self::launch(options, binaries, workspace) {
            Ok(cluster) => Ok(cluster),
            Err((error, workspace)) => {
                let logs = workspace.keep_logs();
                Err(format!("{error}\nlogs are kept in {}", logs.display()))
            }
        }
    }

    fn launch(
        options: &Options,
        binaries: &Binaries,
        workspace: Workspace,
    ) -> Result<ControlPlane, (String, Workspace)> {
        let authority = Authority::new("testbed");
        let admin = authority.client("admin", Some("system:masters"));
        let [port, etcd_port, peer_port] = free_ports();
        let files = write_files(&workspace, &authority);
        let mut etcd = options.etcd.is_none().then(|| {
            let args = components::etcd(&workspace.path().join("etcd"), etcd_port, peer_port);
            start(binaries, &workspace, "etcd", args)
        });
        let own_etcd = format!("http://127.0.0.1:{etcd_port}");
        let etcd_url = options.etcd.clone().unwrap_or(own_etcd);
        let mut args = components::api_server(port, &etcd_url, &files);
        let gates = [options.gates.clone(), options.api_gates.clone()].concat();
        args.push(components::gates(options.version, &gates));
        args.extend(options.api_flags.clone());
        let mut api_server = start(binaries, &workspace, "kube-apiserver", args.clone());
        let server = format!("https://127.0.0.1:{port}");
        let client = Client::new(&server, authority.pem(), &Identity::Certificate(admin.clone()));
        if let Err(error) = wait_until_ready(&client, &mut api_server, etcd.as_mut()) {
            return Err((error, workspace));
        }
        let mut cluster = ControlPlane {
            version: options.version,
            server,
            etcd_url,
            authority,
            admin,
            binaries: binaries.clone(),
            scheduler: None,
            controllers: None,
            api_server,
            api_args: args,
            etcd,
            workspace,
        };
        cluster.start_controllers(options, &files);
        Ok(cluster)
    }

    fn start_controllers(&mut self, options: &Options, files: &Files) {
        let gates = components::gates(self.version, &options.gates);
        let hurry = if options.in_a_hurry { components::hurry() } else { Vec::new() };
        if options.scheduler {
            let config = self.kubeconfig_of("system:kube-scheduler", None);
            let mut args = components::scheduler(&config);
            args.push(gates.clone());
            args.extend(hurry.clone());
            self.scheduler = Some(start(&self.binaries, &self.workspace, "kube-scheduler", args));
        }
        if options.controllers {
            let config = self.kubeconfig_of("system:kube-controller-manager", None);
            let mut args = components::controller_manager(&config, files);
            args.push(gates);
            args.extend(hurry);
            let program = "kube-controller-manager";
            self.controllers = Some(start(&self.binaries, &self.workspace, program, args));
        }
    }

    fn kubeconfig_of(&self, user: &str, group: Option<&str>) -> String {
        let identity = Identity::Certificate(self.authority.client(user, group));
        let text = kubeconfig(&self.server, self.authority.pem(), &identity);
        let name = format!("{}.kubeconfig", user.replace(':', "-"));
        self.workspace.write(&name, &text).expect("write a kubeconfig")
    }

    /// The version that runs.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The address of the API server.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn etcd_url(&self) -> &str {
        &self.etcd_url
    }

    /// A kubeconfig of an administrator, as text.
    pub fn admin_kubeconfig(&self) -> String {
        let identity = Identity::Certificate(self.admin.clone());
        kubeconfig(&self.server, self.authority.pem(), &identity)
    }

    /// A kubeconfig of a user, in at most one group, as text.
    pub fn kubeconfig(&self, user: &str, group: Option<&str>) -> String {
        let identity = Identity::Certificate(self.authority.client(user, group));
        kubeconfig(&self.server, self.authority.pem(), &identity)
    }

    /// A client that may do everything.
    pub fn admin(&self) -> Client {
        self.client(&Identity::Certificate(self.admin.clone()))
    }

    /// A client with its own certificate: any user, at most one group.
    pub fn user(&self, user: &str, group: Option<&str>) -> Client {
        self.client(&Identity::Certificate(self.authority.client(user, group)))
    }

    /// The kubelet of a node.
    pub fn kubelet(&self, node: &str) -> Client {
        self.user(&format!("system:node:{node}"), Some("system:nodes"))
    }

    /// Another scheduler with the rights of the shipped one; `name` tells them apart only in the test.
    pub fn scheduler(&self) -> Client {
        self.user("system:kube-scheduler", None)
    }

    /// Any user with any groups, through impersonation.
    pub fn impersonate(&self, user: &str, groups: &[&str]) -> Client {
        self.impersonate_with(user, groups, &[])
    }

    /// Likewise, with what else an authenticator knows of the user, such as the node of a token's pod.
    pub fn impersonate_with(&self, user: &str, groups: &[&str], extra: &[(&str, &str)]) -> Client {
        self.client(&Identity::Impersonated {
            by: self.admin.clone(),
            user: user.to_owned(),
            groups: groups.iter().map(|g| g.to_string()).collect(),
            extra: extra.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        })
    }

    /// A service account with a token bound to one of its pods, so that the API server knows the node.
    pub fn service_account(&self, namespace: &str, name: &str, pod: &serde_json::Value) -> Client {
        let token = token(&self.admin(), namespace, name, Some(pod));
        self.client(&Identity::Token(token))
    }

    /// A service account's token that is bound to nothing.
    pub fn token(&self, namespace: &str, name: &str) -> String {
        token(&self.admin(), namespace, name, None)
    }

    /// A kubeconfig of any identity.
    pub fn kubeconfig_as(&self, identity: &Identity) -> String {
        kubeconfig(&self.server, self.authority.pem(), identity)
    }

    /// A client with any identity.
    pub fn client(&self, identity: &Identity) -> Client {
        Client::new(&self.server, self.authority.pem(), identity)
    }

    /// kubectl as an administrator.
    pub fn kubectl(&self) -> Kubectl {
        Kubectl {
            program: self.binaries.path("kubectl"),
            kubeconfig: self.kubeconfig_of("kubectl-admin", Some("system:masters")),
        }
    }

    /// kubectl with any identity; `name` tells it apart from others of the test.
    pub fn kubectl_as(&self, name: &str, identity: &Identity) -> Kubectl {
        let text = self.kubeconfig_as(identity);
        let file = format!("kubectl-{name}.kubeconfig");
        let kubeconfig = self.workspace.write(&file, &text).expect("write a kubeconfig");
        Kubectl { program: self.binaries.path("kubectl"), kubeconfig }
    }

    /// The scheduler, where one was started.
    pub fn scheduler_process(&mut self) -> Option<&mut Process> {
        self.scheduler.as_mut()
    }

    /// Ends scheduler and controller manager, so that another control plane's can take over.
    pub fn stop_controllers(&mut self) {
        (self.scheduler, self.controllers) = (None, None);
    }

    /// What the scheduler has in its cache of nodes, told by itself.
    ///
    /// # Panics
    /// When no scheduler was started, or it says nothing.
    pub fn scheduler_cache(&self) -> Vec<CachedNode> {
        cached_nodes(self.scheduler.as_ref().expect("a scheduler"))
    }

    /// The API server.
    pub fn api_server_process(&mut self) -> &mut Process {
        &mut self.api_server
    }

    /// Kills the API server; scheduler, controllers and etcd go on.
    pub fn kill_api_server(&mut self) {
        self.api_server.signal("KILL");
        wait_for("the API server to be gone", READY, || match self.api_server.exit_code() {
            Some(_) => Ok(()),
            None => Err("it runs".to_owned()),
        });
    }

    /// Starts a killed API server again, at the same address, and waits until it serves.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn start_api_server(&mut self) {
        self.api_server = start(&self.binaries, &self.workspace, "kube-apiserver", self.api_args.clone());
        let client = self.admin();
        if let Err(error) = wait_until_ready(&client, &mut self.api_server, self.etcd.as_mut()) {
            panic!("{error}\nlogs are kept in {}", self.keep_logs().display());
        }
    }

    /// etcd, where it is this control plane's own.
    pub fn etcd_process(&mut self) -> Option<&mut Process> {
        self.etcd.as_mut()
    }

    /// Where the logs are, which are then kept after the end.
    pub fn keep_logs(&self) -> std::path::PathBuf {
        self.workspace.keep_logs()
    }
}

fn write_files(workspace: &Workspace, authority: &Authority) -> Files {
    let pair = authority.server(&["127.0.0.1", "localhost"]);
    let (signing, verifying) = signing_keys();
    let write = |name: &str, text: &str| workspace.write(name, text).expect("write a file");
    Files {
        authority: write("ca.crt", authority.pem()),
        certificate: write("server.crt", &pair.certificate),
        key: write("server.key", &pair.key),
        verifying_key: write("sa.pub", &verifying),
        signing_key: write("sa.key", &signing),
    }
}

fn start(binaries: &Binaries, workspace: &Workspace, program: &str, args: Vec<String>) -> Process {
    let log = workspace.log(program);
    let process = Process::start(&binaries.path(program), &args, &log);
    process.unwrap_or_else(|e| panic!("cannot start {program}: {e}"))
}

fn wait_until_ready(client: &Client, api_server: &mut Process, mut etcd: Option<&mut Process>) -> Result<(), String> {
    wait_for("the API server to be ready", READY, || {
        let etcd_runs = etcd.as_mut().map_or(Ok(()), |etcd| etcd.still_running());
        if let Err(end) = etcd_runs.and_then(|()| api_server.still_running()) {
            return Ok(Err(end));
        }
        client.get("/readyz").result().map(|_| Ok(()))
    })
}
