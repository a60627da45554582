//! Under which names the server may be asked. A page of another site can have its own name lead to this machine
//! (DNS rebinding), and would then be taken for a page of this server.

use crate::config::Config;
use axum::http::header;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use std::net::IpAddr;
use std::sync::Arc;

/// The names.
#[derive(Clone, Debug)]
pub enum Hosts {
    /// Any name: the server stands open to the network, and none is set.
    Any,
    /// Those set, for which there is a proxy or a public address.
    Listed(Arc<[String]>),
    /// Numbers and `localhost`, and those that are set: nobody but this machine can reach the server.
    Local(Arc<[String]>),
}

impl Hosts {
    /// What settings say, which have been checked.
    pub fn of(config: &Config) -> Hosts {
        let hosts = config.hosts.iter().cloned();
        if !config.hosts.is_empty() {
            return Hosts::Listed(hosts.collect());
        }
        if config.behind_proxy || !config.listen.ip().is_loopback() {
            return Hosts::Any;
        }
        let of_origin = |origin: &String| Some(bare(origin.split_once("://")?.1)?.0);
        Hosts::Local(config.origins.iter().filter_map(of_origin).collect())
    }

    /// Whether a request comes under one of the names. Those who run the server may ask by number, too.
    pub fn admit(&self, parts: &Parts, operates: bool) -> bool {
        if matches!(self, Hosts::Any) {
            return true;
        }
        let header = parts.headers.get(header::HOST);
        let name = match parts.uri.host() {
            Some(host) => bare(host),
            None => header.and_then(|h| bare(h.to_str().ok()?)),
        };
        let Some((name, local)) = name else {
            return operates;
        };
        match self {
            Hosts::Any => true,
            Hosts::Listed(names) => names.contains(&name) || (operates && local),
            Hosts::Local(names) => names.contains(&name) || local,
        }
    }
}

/// A host's name without port, in small letters, and whether it is `localhost` or a number.
pub fn bare(text: &str) -> Option<(String, bool)> {
    let authority: Authority = text.parse().ok()?;
    let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let number = name.trim_start_matches('[').trim_end_matches(']');
    let local = name == "localhost" || number.parse::<IpAddr>().is_ok();
    (!name.is_empty()).then_some((name, local))
}
