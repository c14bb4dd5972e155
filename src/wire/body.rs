//! Reading a body: bounded in size, in time, and in what all bodies together may hold.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::limits::Permits;
use super::refusal::Refusal;

/// What is allocated at once on the word of a `Content-Length`.
const LARGEST_RESERVE: usize = 1 << 20;
/// What is still read of a body that was turned away, so that the client sees the answer and no reset.
const LINGER_BYTES: usize = 16 << 20;
const LINGER_TIME: Duration = Duration::from_secs(2);

/// A whole body and the room it takes.
#[derive(Debug)]
pub struct Held {
    /// The body.
    pub bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Reads the whole body. Room is taken as bytes arrive: a client that only announces a body takes none.
///
/// # Errors
/// When the body is too large, too slow, broken, or has no room.
pub async fn read(
    body: &mut Body,
    declared: Option<usize>,
    longest: usize,
    permits: &Permits,
    deadline: Instant,
) -> Result<Held, Refusal> {
    let mut intake = Intake { declared, longest, permits, deadline, room: None, buffer: BytesMut::new() };
    let whole = timeout_at(deadline, intake.read(body)).await.map_err(|_| Refusal::Slow)??;
    Ok(Held { bytes: whole, _room: intake.room })
}

/// Reads on for a while and forgets: hyper would otherwise reset the connection under the answer.
pub fn discard(mut body: Body) {
    tokio::spawn(async move {
        let mut left = LINGER_BYTES;
        let _ = timeout(LINGER_TIME, async {
            while let Some(Ok(frame)) = body.frame().await {
                left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
                if left == 0 {
                    return;
                }
            }
        })
        .await;
    });
}

struct Intake<'p> {
    declared: Option<usize>,
    longest: usize,
    permits: &'p Permits,
    deadline: Instant,
    room: Option<OwnedSemaphorePermit>,
    buffer: BytesMut,
}

impl Intake<'_> {
    async fn read(&mut self, body: &mut Body) -> Result<Bytes, Refusal> {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Refusal::Broken)?.into_data() else {
                continue;
            };
            self.take_room(data.len()).await?;
            if Some(data.len()) == self.declared {
                return Ok(data);
            }
            self.append(&data);
        }
        Ok(self.buffer.split().freeze())
    }

    async fn take_room(&mut self, more: usize) -> Result<(), Refusal> {
        if self.buffer.len() + more > self.longest {
            return Err(Refusal::TooLarge(self.longest));
        }
        let wanted = u32::try_from(more).map_err(|_| Refusal::Full)?;
        let waiting = self.permits.bytes.clone().acquire_many_owned(wanted);
        // A little before the deadline of the whole, so that the reason given is the right one.
        let until = self.deadline.checked_sub(Duration::from_millis(10)).unwrap_or(self.deadline);
        let permit = timeout_at(until, waiting).await.map_err(|_| Refusal::Full)?.map_err(|_| Refusal::Full)?;
        match &mut self.room {
            Some(room) => room.merge(permit),
            None => self.room = Some(permit),
        }
        Ok(())
    }

    fn append(&mut self, data: &[u8]) {
        if self.buffer.is_empty() {
            self.buffer.reserve(self.declared.unwrap_or_default().clamp(data.len(), LARGEST_RESERVE.max(data.len())));
        }
        self.buffer.extend_from_slice(data);
    }
}
