//! Ranges of addresses, and what texts of moderators may look like. No I/O.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Addresses with a common prefix, such as `192.0.2.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    first: IpAddr,
    bits: u8,
}

/// Why a text is not a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeFault {
    /// It does not begin with an address.
    #[error(
        "addresses: {0:?} is no address; expected one like 192.0.2.7, or a range like 192.0.2.0/24 or 2001:db8::/48"
    )]
    Address(String),
    /// What follows the slash is not a valid number of bits.
    #[error("addresses: /{found}, expected /{least} to /{most}")]
    Bits {
        /// What was found there.
        found: String,
        /// Fewer bits would include far too many addresses.
        least: u8,
        /// The number of bits of an address.
        most: u8,
    },
}

/// The widest ranges: a typing error must not lock everyone out.
const WIDEST: (u8, u8) = (8, 16);

impl Range {
    /// Whether an address is in it. An IPv4 address written as IPv6 counts as the same.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.first.is_ipv4() && cut(address, self.bits) == self.first
    }
}

/// An address with all but its first bits 0.
fn cut(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

impl FromStr for Range {
    type Err = RangeFault;

    fn from_str(text: &str) -> Result<Range, RangeFault> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.trim(), None),
        };
        let shown = || address.chars().take(60).collect();
        let address: IpAddr = address.parse().map_err(|_| RangeFault::Address(shown()))?;
        let address = address.to_canonical();
        let (least, most) = match address {
            IpAddr::V4(_) => (WIDEST.0, 32),
            IpAddr::V6(_) => (WIDEST.1, 128),
        };
        let bits = match bits {
            None => most,
            Some(text) => {
                let bits = text.parse().ok().filter(|b| (least..=most).contains(b));
                bits.ok_or_else(|| RangeFault::Bits {
                    found: text.chars().take(10).collect(),
                    least,
                    most,
                })?
            }
        };
        let first = cut(address, bits);
        Ok(Range { first, bits })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

/// A text that is too short or too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {found} characters, expected {least} to {most}")]
pub struct TextFault {
    what: &'static str,
    found: usize,
    least: usize,
    most: usize,
}

/// A text as it is stored: without invisible characters, and of a length within bounds. Line breaks are kept.
pub fn text(what: &'static str, text: &str, bounds: [usize; 2]) -> Result<String, TextFault> {
    let kept = |c: &char| *c == '\n' || !c.is_control();
    let text: String = text.trim().chars().filter(kept).collect();
    let (found, [least, most]) = (text.chars().count(), bounds);
    match (least..=most).contains(&found) {
        true => Ok(text),
        false => Err(TextFault {
            what,
            found,
            least,
            most,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_the_addresses_that_begin_alike() -> Result<(), Box<dyn std::error::Error>> {
        for (range, shown, inside, outside) in [
            ("192.0.2.7/24", "192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.7", "192.0.2.7/32", "192.0.2.7", "192.0.2.8"),
            ("10.1.2.3/8", "10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("172.16.0.0/12", "172.16.0.0/12", "172.31.9.9", "172.32.0.0"),
            (
                "::ffff:192.0.2.7/24",
                "192.0.2.0/24",
                "::ffff:192.0.2.9",
                "::1",
            ),
            (
                "2001:db8::1/48",
                "2001:db8::/48",
                "2001:db8:0:ffff::",
                "2001:db8:1::",
            ),
            ("::1", "::1/128", "::1", "127.0.0.1"),
        ] {
            let read: Range = range.parse()?;
            assert_eq!(read.to_string(), shown);
            assert_eq!(read.to_string().parse(), Ok(read));
            assert!(read.contains(inside.parse()?), "{inside} in {range}");
            assert!(!read.contains(outside.parse()?), "{outside} not in {range}");
        }
        Ok(())
    }

    #[test]
    fn what_is_no_range_is_told() {
        for (text, word) in [
            ("", "no address"),
            ("example.org", "\"example.org\""),
            ("192.0.2", "192.0.2.0/24"),
            ("192.0.2.0/33", "/8 to /32"),
            ("0.0.0.0/0", "/8 to /32"),
            ("192.0.2.0/", "/8 to /32"),
            ("192.0.2.0/-1", "/-1"),
            ("2001:db8::/129", "/16 to /128"),
            ("::/1", "/16 to /128"),
        ] {
            let error = text.parse::<Range>().map_err(|e| e.to_string());
            assert!(
                error.as_ref().is_err_and(|e| e.contains(word)),
                "{text}: {error:?}"
            );
        }
    }

    #[test]
    fn texts_have_bounds() {
        let of = |given: &str| text("reason", given, [1, 5]);
        assert_eq!(of("  a\u{7}\nb "), Ok("a\nb".into()));
        for given in ["", " \u{0} ", "sixsix"] {
            let error = of(given).map_err(|e| e.to_string());
            assert!(
                error.is_err_and(|e| e.contains("expected 1 to 5")),
                "{given}"
            );
        }
    }
}
