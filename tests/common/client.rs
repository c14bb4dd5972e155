//! An HTTP/1.1 client that can also do what a proper one would not: stop halfway, send anything.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;

/// One connection.
pub struct Client {
    tls: StreamOwned<ClientConnection, TcpStream>,
    read: Vec<u8>,
}

/// One answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// True when the server closes the connection after this answer.
    pub fn closes(&self) -> bool {
        self.head.to_ascii_lowercase().contains("connection: close")
    }
}

/// Trusts the authority in `ca`, and what else it may contain.
pub fn config(ca: &Path) -> Arc<ClientConfig> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(ca).unwrap() {
        roots.add(certificate.unwrap()).unwrap();
    }
    Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

impl Client {
    /// Connects and shakes hands.
    pub fn connect(address: SocketAddr, config: Arc<ClientConfig>) -> io::Result<Self> {
        let tcp = TcpStream::connect(address)?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
        tcp.set_write_timeout(Some(Duration::from_secs(20)))?;
        let session = ClientConnection::new(config, ServerName::from(address.ip())).unwrap();
        let mut tls = StreamOwned::new(session, tcp);
        while tls.conn.is_handshaking() {
            tls.conn.complete_io(&mut tls.sock)?;
        }
        Ok(Self { tls, read: Vec::new() })
    }

    /// Posts JSON.
    pub fn post(&mut self, path: &str, body: &[u8]) -> io::Result<Answer> {
        self.send(&head(path, "application/json", body.len()), body)
    }

    /// Sends any head and body, and reads the answer.
    pub fn send(&mut self, head: &str, body: &[u8]) -> io::Result<Answer> {
        self.raw(head.as_bytes())?;
        // The server may answer and close before it has read everything.
        let sent = self.raw(body);
        self.answer().or_else(|error| sent.and(Err(error)))
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tls.write_all(bytes)?;
        self.tls.flush()
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end;
            }
            self.more()?;
        };
        let head = String::from_utf8_lossy(&self.read[..end]).into_owned();
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned))
            .map_or(0, |length| length.trim().parse::<usize>().unwrap());
        while self.read.len() < end + 4 + length {
            self.more()?;
        }
        let body = self.read[end + 4..end + 4 + length].to_vec();
        self.read.drain(..end + 4 + length);
        Ok(Answer { status: head[9..12].parse().unwrap(), head, body })
    }

    /// True when the server has closed the connection, waited for up to the read timeout.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.more(), Err(error) if error.kind() != ErrorKind::WouldBlock)
    }

    fn more(&mut self) -> io::Result<()> {
        let mut chunk = [0; 16384];
        match self.tls.read(&mut chunk)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            length => {
                self.read.extend_from_slice(&chunk[..length]);
                Ok(())
            }
        }
    }
}

/// The head of a POST.
pub fn head(path: &str, content_type: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// A GET on a plain port.
pub fn get(address: SocketAddr, path: &str) -> Answer {
    let mut tcp = TcpStream::connect(address).unwrap();
    write!(tcp, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    tcp.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Answer { status: head[9..12].parse().unwrap(), head: head.to_owned(), body: body.as_bytes().to_vec() }
}
