//! Whose request it is: the address of the peer, or what the proxy in front says.

use crate::state::App;
use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The address of who asks.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub IpAddr);

/// The address of a request's sender. Behind a proxy it is the last one in `X-Forwarded-For`, which the proxy
/// itself has added; what stands before it anyone can write.
pub fn of(parts: &Parts, behind_proxy: bool) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |c| c.0.ip());
    let forwarded = parts.headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded
        .filter(|_| behind_proxy)
        .and_then(|h| h.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(peer)
}

impl<S> FromRequestParts<S> for Address
where
    S: Send + Sync,
    App: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Address, Infallible> {
        Ok(Address(of(parts, App::from_ref(state).behind_proxy)))
    }
}
