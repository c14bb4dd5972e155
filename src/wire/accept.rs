//! Letting connections in: a place for each, and patience with none.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::Request;
use axum_server::accept::Accept;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service;

use super::connection::Connection;
use super::limits::Limits;
use super::stream::Patient;
use crate::observe::metrics::Metrics;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Gives each connection a place and a state before `inner` (TLS or nothing) shakes hands.
#[derive(Debug, Clone)]
pub struct Doorkeeper<A> {
    /// What shakes hands.
    pub inner: A,
    /// One permit an open connection.
    pub places: Arc<Semaphore>,
    /// How much patience there is.
    pub limits: Arc<Limits>,
    /// Where exchanges are counted.
    pub metrics: Arc<Metrics>,
}

impl<A, S> Accept<TcpStream, S> for Doorkeeper<A>
where
    A: Accept<TcpStream, S> + Clone + Send + 'static,
    A::Future: Send,
    A::Stream: Send,
    A::Service: Send,
    S: Send + 'static,
{
    type Stream = Patient<A::Stream>;
    type Service = Tracked<A::Service>;
    type Future = Boxed<io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let place = self.places.clone().try_acquire_owned();
        // Answers are small and complete: waiting for more to send only delays them.
        let prompt = stream.set_nodelay(true);
        let (keeper, shaken) = (self.clone(), self.inner.accept(stream, service));
        Box::pin(async move {
            let place = place.map_err(|_| keeper.full())?;
            prompt?;
            let (stream, service) = shaken.await?;
            Ok(keeper.welcome(stream, service, place))
        })
    }
}

impl<A> Doorkeeper<A> {
    fn full(&self) -> io::Error {
        self.metrics.shed("connections");
        io::Error::other("too many connections")
    }

    fn welcome<T, S>(self, stream: T, service: S, place: OwnedSemaphorePermit) -> (Patient<T>, Tracked<S>) {
        let connection = Arc::new(Connection::default());
        let stream = Patient::new(stream, connection.clone(), self.limits, self.metrics, place);
        (stream, Tracked { inner: service, connection })
    }
}

/// A service that tells the connection's state when it is called and when it has answered.
#[derive(Debug, Clone)]
pub struct Tracked<S> {
    inner: S,
    connection: Arc<Connection>,
}

impl<S, B> Service<Request<B>> for Tracked<S>
where
    S: Service<Request<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Boxed<Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        self.connection.called();
        request.extensions_mut().insert(self.connection.clone());
        let (answer, connection) = (self.inner.call(request), self.connection.clone());
        Box::pin(async move {
            let answer = answer.await;
            connection.answered();
            answer
        })
    }
}
