//! A stream that loses patience with its client.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep_until};

use super::connection::Connection;
use super::limits::Limits;
use crate::observe::metrics::Metrics;

/// The stream of one connection, with its place among the open ones.
pub struct Patient<S> {
    inner: S,
    connection: Arc<Connection>,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    reading: Pin<Box<Sleep>>,
    writing: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl<S> Patient<S> {
    /// Watches over `inner`.
    pub fn new(
        inner: S,
        connection: Arc<Connection>,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        place: OwnedSemaphorePermit,
    ) -> Self {
        let reading = Box::pin(sleep_until(Instant::now() + limits.head));
        Self { inner, connection, limits, metrics, reading, writing: None, _place: place }
    }

    /// Waits for the moment at which the client has had its time. The timer is set anew only when it went off early:
    /// a reset for each request would cost more than the request's bookkeeping.
    fn poll_reading(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        while let Some(deadline) = self.connection.deadline(&self.limits) {
            if deadline < self.reading.deadline() {
                self.reading.as_mut().reset(deadline);
            }
            ready!(self.reading.as_mut().poll(cx));
            if deadline <= Instant::now() {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.reading.as_mut().reset(deadline);
        }
        Poll::Pending
    }

    fn poll_writing<T>(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.writing = None;
            return result;
        }
        let limit = self.limits.write;
        let timer = self.writing.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.inner).poll_read(cx, buf) {
            Poll::Ready(result) => {
                if buf.filled().len() > before {
                    self.connection.received();
                }
                Poll::Ready(result)
            }
            Poll::Pending => self.poll_reading(cx).map(Err),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.poll_writing(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.poll_writing(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        if matches!(result, Poll::Ready(Ok(())))
            && let Some((endpoint, since)) = self.connection.flushed()
        {
            self.metrics.took(endpoint, since.elapsed());
        }
        self.poll_writing(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.poll_writing(cx, result)
    }
}
