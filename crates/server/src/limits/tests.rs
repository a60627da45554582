//! Who is counted as one, and what an address may have computed.

use super::*;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_network_of_ipv6_is_one() -> Tested {
    let of = |text: &str| -> Result<Network, std::net::AddrParseError> {
        Ok(Network::of(text.parse()?))
    };
    assert_eq!(of("2001:db8:1:2::1")?, of("2001:db8:1:2:ffff:1:2:3")?);
    assert_ne!(of("2001:db8:1:2::1")?, of("2001:db8:1:3::1")?);
    assert_eq!(of("::ffff:192.0.2.7")?, of("192.0.2.7")?);
    assert_ne!(of("192.0.2.7")?, of("192.0.2.8")?);
    Ok(())
}

/// Another address of the same network is no way around any limit.
#[test]
fn limits_hold_for_the_network() -> Tested {
    let guard = Arc::new(Guard::new(Limits {
        requests_per_second: 1,
        games_per_minute: 1,
        sockets_per_address: 1,
        ..Limits::default()
    }));
    let (one, other) = ("2001:db8::1".parse()?, "2001:db8::2".parse()?);
    assert!((0..10).all(|_| guard.request(one)) && !guard.request(other));
    assert!(guard.game(one) && !guard.game(other));
    let ticket = guard.socket(one, "ann");
    assert!(ticket.is_some() && guard.socket(other, "bob").is_none());
    drop(ticket);
    assert!(guard.socket(other, "bob").is_some());
    Ok(())
}

#[test]
fn positions_are_charged_by_number() -> Tested {
    let guard = Guard::new(Limits {
        positions_per_second: 10,
        ..Limits::default()
    });
    let [one, other, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(str::parse);
    assert!(guard.positions(one.clone()?, 60) && !guard.positions(one.clone()?, 60));
    assert!(guard.positions(one?, 30));
    // More than a burst costs the burst, and is not refused for ever.
    assert!(guard.positions(other.clone()?, 1_000_000) && !guard.positions(other?, 5));
    let free = Guard::new(Limits {
        positions_per_second: 0,
        ..Limits::default()
    });
    assert!(free.positions(third?, u32::MAX));
    Ok(())
}

#[test]
fn games_are_taken_from_storage_at_a_rate() -> Tested {
    let guard = Guard::new(Limits::default());
    let one = "192.0.2.1".parse()?;
    let taken = (0..1000).filter(|_| guard.wake(one)).count();
    assert!((300..320).contains(&taken), "{taken}");
    Ok(())
}
