//! The lines of a watch, each an event.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use kube::client::Body;

use crate::cluster::fetch::FetchError;

/// An event holds one object: etcd takes 1.5 MB by default, and JSON is longer than what is stored.
const LONGEST: usize = 32 << 20;

/// Lines that come as the server sends them.
pub(super) struct Lines {
    body: Body,
    buffer: BytesMut,
    /// The bytes of the buffer that hold no line end.
    searched: usize,
}

impl Lines {
    pub(super) fn new(body: Body) -> Self {
        Self { body, buffer: BytesMut::new(), searched: 0 }
    }

    /// The next line. What stands behind the last line end was cut off and is no line.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            if let Some(line) = self.line() {
                return Ok(Some(line));
            }
            if self.buffer.len() > LONGEST {
                return Err(FetchError::TooLong(LONGEST));
            }
            let Some(frame) = self.body.frame().await else { return Ok(None) };
            if let Ok(data) = frame.map_err(FetchError::Transport)?.into_data() {
                self.buffer.extend_from_slice(&data);
            }
        }
    }

    fn line(&mut self) -> Option<Bytes> {
        let rest = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.buffer.split_to(self.searched + at + 1).freeze();
        self.searched = 0;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use kube::client::Body;

    use super::Lines;

    fn lines(text: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut lines, mut found) = (Lines::new(Body::from(text.as_bytes().to_vec())), Vec::new());
            while let Some(line) = lines.next().await.unwrap() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
            found
        })
    }

    #[test]
    fn a_line_that_is_cut_off_is_none() {
        assert_eq!(lines("{}\n[1]\n{\"a\""), ["{}\n", "[1]\n"]);
        assert_eq!(lines(""), [""; 0]);
    }
}
