//! Connections: taken in within bounds, ended when they keep the server waiting, and told to end when it goes down.
//! What is asked over them is not known here.

#[cfg(test)]
mod tests;

use crate::limits::{Limits, Network};
use crate::slow::watched;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use metrics::{counter, gauge};
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service;

/// Bytes of a request's head at most.
const MAX_HEAD: usize = 64 << 10;
/// Connections that are told why they are turned away, at once; others are closed without a word.
const PARTINGS: usize = 64;
/// Time for a connection that is turned away to take the reason.
const PARTING: Duration = Duration::from_secs(1);
/// Wait after a connection could not be taken in, which lies with the system: it has no file or no memory left.
const PAUSE: Duration = Duration::from_millis(100);

/// The reason, for clients that can read it before the connection ends.
const TURNED_AWAY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
    retry-after: 10\r\nconnection: close\r\ncontent-length: 95\r\n\r\n\
    {\"code\":\"connections\",\"message\":\"too many connections at once; close some or come again later\"}";

/// How many connections there may be, and how long they may keep the server waiting.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections in all, sockets among them; 0 for any number.
    pub connections: u32,
    /// Connections of an address; 0 for any number.
    pub per_address: u32,
    /// Time until the head of a request is there, from the connection's begin or the last answer's end: a connection
    /// that rests for so long is closed too.
    pub head: Duration,
    /// Time without any progress in sending, after which a connection is ended.
    pub write: Duration,
    /// Time for requests under way when the server goes down.
    pub linger: Duration,
}

impl Bounds {
    /// What `limits` allow. Behind a proxy all connections are the proxy's, and are not counted by address.
    pub fn of(limits: &Limits, behind_proxy: bool) -> Bounds {
        Bounds {
            connections: limits.connections,
            per_address: match behind_proxy {
                true => 0,
                false => limits.connections_per_address,
            },
            head: Duration::from_secs(10),
            write: Duration::from_secs(20),
            linger: Duration::from_secs(2),
        }
    }
}

/// Serves until `stop` is done; requests under way then have the time that `bounds` give them. A connection that has
/// become a socket is not waited for.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    stop: impl Future<Output = ()>,
) {
    let doors = Connections::new(&bounds);
    let (ending, told) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            taken = accept(&listener) => taken,
            () = &mut stop => break,
        };
        match doors.enter(peer) {
            Some(place) => answer(stream, peer, place, &router, &bounds, told.clone()),
            None => doors.turn_away(stream),
        }
    }
    drop((listener, told));
    let _ = ending.send(());
    // Each connection has a receiver for as long as it is one of requests.
    let _ = tokio::time::timeout(bounds.linger, ending.closed()).await;
}

/// The next connection. Errors of a single one are passed over; what the system lacks may come back.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok(taken) => return taken,
            Err(error)
                if matches!(
                    error.kind(),
                    ConnectionAborted | ConnectionRefused | ConnectionReset
                ) => {}
            Err(error) => {
                if !told {
                    tracing::error!(%error, "no connection can be taken in");
                    told = true;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Answers what is asked over a connection, in a task of its own.
fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    router: &Router,
    bounds: &Bounds,
    mut ending: watch::Receiver<()>,
) {
    // Moves are small and are to go out at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(bounds.write));
    let stream = Connection {
        stream: Box::pin(stream),
        _place: place,
    };
    let router = router.clone();
    let service = hyper::service::service_fn(move |request: hyper::Request<_>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        // A router is ready at any time.
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let served = async move {
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = ending.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    };
    tokio::spawn(watched("connection", served));
}

/// Who is in: connections in all and by address.
#[derive(Clone)]
struct Connections {
    places: Option<Arc<Semaphore>>,
    addresses: Arc<Mutex<HashMap<Network, u32>>>,
    per_address: u32,
    partings: Arc<Semaphore>,
}

/// A connection's place, held for as long as it is open, also as a socket.
struct Place {
    addresses: Arc<Mutex<HashMap<Network, u32>>>,
    network: Network,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connections {
    fn new(bounds: &Bounds) -> Connections {
        let places = bounds.connections as usize;
        let places = places.min(Semaphore::MAX_PERMITS);
        Connections {
            places: (places > 0).then(|| Arc::new(Semaphore::new(places))),
            addresses: Arc::default(),
            per_address: bounds.per_address,
            partings: Arc::new(Semaphore::new(PARTINGS)),
        }
    }

    fn enter(&self, peer: SocketAddr) -> Option<Place> {
        let place = match &self.places {
            Some(places) => Some(places.clone().try_acquire_owned().ok()?),
            None => None,
        };
        let network = Network::of(peer.ip());
        let mut addresses = self
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = addresses.entry(network).or_default();
        if self.per_address > 0 && *count >= self.per_address {
            return None;
        }
        *count += 1;
        gauge!("husun_connections").increment(1.0);
        Some(Place {
            addresses: self.addresses.clone(),
            network,
            _place: place,
        })
    }

    /// Says that there is no place.
    fn turn_away(&self, mut stream: TcpStream) {
        counter!("husun_limited_total", "what" => "connections").increment(1);
        let Ok(permit) = self.partings.clone().try_acquire_owned() else {
            return;
        };
        tokio::spawn(async move {
            // A connection closed with something unread is reset, and the reason would be lost on its way.
            let part = async {
                stream.write_all(TURNED_AWAY.as_bytes()).await?;
                stream.shutdown().await?;
                let mut sink = [0; 1024];
                while stream.read(&mut sink).await? > 0 {}
                io::Result::Ok(())
            };
            let _ = tokio::time::timeout(PARTING, part).await;
            drop(permit);
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut addresses = self
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        crate::limits::less(&mut addresses, &self.network);
        gauge!("husun_connections").decrement(1.0);
    }
}

/// A stream that keeps its place until it is dropped, whoever holds it then.
struct Connection {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    _place: Place,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
