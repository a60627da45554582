//! Requests that the server itself makes to addresses which others have named: over TLS, to the open internet alone, with
//! deadlines, and without following where an answer leads.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use play::moderation::Range;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// How long a request may take in all.
const LONGEST: Duration = Duration::from_secs(20);
/// The port of HTTPS.
const PORT: u16 = 443;

/// Addresses that are nobody's on the open internet, or lead back to such ones: IANA's special-purpose registries.
const SPECIAL: [&str; 25] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "::/16",
    "64:ff9b::/32",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "2620:4f:8000::/48",
];

static SPECIAL_RANGES: LazyLock<Vec<Range>> = LazyLock::new(|| {
    SPECIAL
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect()
});

/// Whether an address belongs to somebody on the open internet.
pub fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let local = match address {
        // Multicast, what is kept for later, and the broadcast.
        IpAddr::V4(v4) => v4.octets()[0] >= 224,
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            // Unique local, link-local and what was site-local, multicast.
            first & 0xfe00 == 0xfc00 || first & 0xff80 == 0xfe80 || first & 0xff00 == 0xff00
        }
    };
    !local && !SPECIAL_RANGES.iter().any(|range| range.contains(address))
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum OutgoingError {
    /// Nobody on the open internet is there: trying again does not help.
    #[error("{0} is not an address of the open internet")]
    NotPublic(String),
    /// It was not reached, or broke off.
    #[error("{0}")]
    Network(String),
}

fn broken(error: impl std::fmt::Display) -> OutgoingError {
    OutgoingError::Network(error.to_string())
}

/// What is read of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// After how long to try again.
    pub after: Option<Duration>,
}

/// Why TLS cannot be spoken.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Nobody is trusted.
    #[error(
        "this machine has no certificates by which servers are known (Debian package ca-certificates)"
    )]
    NoRoots,
    /// The library does not do what is asked.
    #[error("{0}")]
    Rustls(#[from] rustls::Error),
}

/// TLS that trusts whom this machine trusts.
pub fn tls() -> Result<TlsConnector, TlsError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    if roots.add_parsable_certificates(found.certs).0 == 0 {
        return Err(TlsError::NoRoots);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// A connection, over TLS or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Makes such requests.
#[derive(Clone)]
pub struct Outgoing {
    /// Without, nothing is asked over TLS.
    tls: Option<TlsConnector>,
    /// Whether addresses of the own network and plain HTTP are asked, too.
    private: bool,
}

impl std::fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outgoing")
            .field("private", &self.private)
            .finish_non_exhaustive()
    }
}

impl Outgoing {
    /// One that asks the open internet; with `private`, which is for tests, whatever it is told to.
    pub fn new(private: bool) -> Outgoing {
        let tls = match tls() {
            Ok(tls) => Some(tls),
            Err(error) => {
                tracing::warn!(%error, "push services are not reached");
                None
            }
        };
        Outgoing { tls, private }
    }

    /// Whether an address may be asked, as far as its text tells: names are looked up when it is.
    pub fn takes(&self, url: &Url) -> bool {
        if url.username() != "" || url.password().is_some() {
            return false;
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => self.private || name.contains('.') && !name.ends_with('.'),
            Some(Host::Ipv4(address)) => self.private || is_public(address.into()),
            Some(Host::Ipv6(address)) => self.private || is_public(address.into()),
            None => false,
        };
        let usual = url.scheme() == "https" && url.port_or_known_default() == Some(PORT);
        host && (usual || self.private && matches!(url.scheme(), "http" | "https"))
    }

    /// Where a host is: its addresses on the open internet.
    async fn resolve(&self, url: &Url) -> Result<Vec<SocketAddr>, OutgoingError> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(PORT);
        let bare = host.trim_matches(['[', ']']);
        let found = tokio::net::lookup_host((bare, port))
            .await
            .map_err(broken)?;
        let open: Vec<SocketAddr> = found
            .filter(|address| self.private || is_public(address.ip()))
            .collect();
        match open.is_empty() {
            true => Err(OutgoingError::NotPublic(host.into())),
            false => Ok(open),
        }
    }

    async fn connect(&self, url: &Url) -> Result<Box<dyn Stream>, OutgoingError> {
        if !self.takes(url) {
            return Err(OutgoingError::NotPublic(
                url.host_str().unwrap_or_default().into(),
            ));
        }
        // The very addresses that were looked at are gone to: a name may lead elsewhere a moment later.
        let addresses = self.resolve(url).await?;
        let stream = TcpStream::connect(&addresses[..]).await.map_err(broken)?;
        stream.set_nodelay(true).map_err(broken)?;
        if url.scheme() != "https" {
            return Ok(Box::new(stream));
        }
        let tls = self.tls.as_ref().ok_or_else(|| broken(TlsError::NoRoots))?;
        let host = url.host_str().unwrap_or_default();
        let name = host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(name).map_err(broken)?;
        Ok(Box::new(tls.connect(name, stream).await.map_err(broken)?))
    }

    /// Posts something. Of the answer only its head is read.
    pub async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answered, OutgoingError> {
        let posted = tokio::time::timeout(LONGEST, self.post_now(url, headers, body)).await;
        posted.map_err(|_| broken("it does not answer in time"))?
    }

    async fn post_now(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answered, OutgoingError> {
        let stream = self.connect(url).await?;
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let host = url.host_str().unwrap_or_default();
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let request = Request::builder().method(Method::POST).uri(path);
        let mut request = request.body(Full::new(body)).map_err(broken)?;
        *request.headers_mut() = headers;
        let authority = HeaderValue::from_str(&authority).map_err(broken)?;
        request.headers_mut().insert(HOST, authority);
        let io = TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io)
            .await
            .map_err(broken)?;
        let mut answer = std::pin::pin!(sender.send_request(request));
        // The connection ends with this request, whatever more would come; where it ends by itself, the answer may have
        // come before.
        let answer = tokio::select! {
            biased;
            answer = &mut answer => answer,
            _ = connection => answer.await,
        };
        let answer = answer.map_err(broken)?;
        let after = answer.headers().get(RETRY_AFTER);
        let after = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Ok(Answered {
            status: answer.status().as_u16(),
            after: after.map(Duration::from_secs),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn the_open_internet_is_told_from_the_rest() -> Tested {
        assert_eq!(SPECIAL_RANGES.len(), SPECIAL.len(), "each of them is read");
        for (text, public) in [
            ("1.1.1.1", true),
            ("142.250.180.10", true),
            ("223.255.255.254", true),
            ("2a00:1450:4001:80b::200a", true),
            ("2606:4700::1111", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.255.0.9", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("172.32.0.1", true),
            ("192.168.1.1", false),
            ("198.19.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::7f00:1", false),
            ("2002:7f00:1::", false),
            ("2001:0:1::", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(text.parse()?), public, "{text}");
        }
        Ok(())
    }

    #[test]
    fn only_https_to_others_is_asked() -> Tested {
        let open = Outgoing {
            tls: None,
            private: false,
        };
        let tested = Outgoing {
            tls: None,
            private: true,
        };
        for (text, takes, takes_private) in [
            ("https://push.example.org/a?b", true, true),
            ("https://push.example.org:443/", true, true),
            ("https://push.example.org:8443/", false, true),
            ("http://push.example.org/", false, true),
            ("https://localhost/", false, true),
            ("https://intranet/", false, true),
            ("https://127.0.0.1/", false, true),
            ("https://2130706433/", false, true),
            ("https://0x7f.1/", false, true),
            ("https://[::1]/", false, true),
            ("https://[::ffff:7f00:1]/", false, true),
            ("https://10.0.0.1/", false, true),
            ("https://a:b@push.example.org/", false, false),
            ("ftp://push.example.org/", false, false),
            ("file:///etc/passwd", false, false),
        ] {
            let url = Url::parse(text)?;
            assert_eq!(
                (open.takes(&url), tested.takes(&url)),
                (takes, takes_private),
                "{text}"
            );
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_not_gone_to() -> Tested {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let open = Outgoing {
            tls: None,
            private: false,
        };
        // As if the name had passed: it is the address that counts.
        let url = Url::parse(&format!("https://localhost:{port}/"))?;
        let found = open.resolve(&url).await;
        assert!(
            matches!(found, Err(OutgoingError::NotPublic(_))),
            "{found:?}"
        );
        Ok(())
    }
}
