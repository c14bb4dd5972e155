//! Free ports on loopback.

use std::net::TcpListener;

use crate::workspace::random;

/// Below the range from which the kernel picks ports for outgoing connections, so that none of those
/// can take a port between its choice here and its use.
const RANGE: std::ops::Range<u16> = 20_000..32_000;

/// Ports that were free a moment ago, all different. The caller starts anew should one be taken since.
pub fn free_ports<const N: usize>() -> [u16; N] {
    let mut held: Vec<(TcpListener, u16)> = Vec::new();
    while held.len() < N {
        let span = u64::from(RANGE.end - RANGE.start);
        let port = RANGE.start + (random() % span) as u16;
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            held.push((listener, port));
        }
    }
    std::array::from_fn(|i| held[i].1)
}
