//! Settings as they are read, and what is said of those that make no sense.

use super::*;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn told(change: impl FnOnce(&mut Config)) -> Result<String, &'static str> {
    let mut config = Config::default();
    change(&mut config);
    let error = config.checked().err().ok_or("taken")?;
    Ok(error.to_string())
}

fn mail(config: &mut Config, change: impl FnOnce(&mut MailConfig)) {
    let mut mail = MailConfig {
        host: "mail.example.org".into(),
        port: None,
        tls: MailTls::Starttls,
        user: None,
        password_file: None,
        from: "Chess club <chess@example.org>".into(),
        site: "https://Play.example.org/".into(),
        per_day: 20,
    };
    change(&mut mail);
    config.mail = Some(mail);
}

fn node(config: &mut Config, change: impl FnOnce(&mut NodeConfig)) {
    let mut node = NodeConfig::new("a", "nats://127.0.0.1:4222");
    change(&mut node);
    config.database = Some("postgres://husun@db/husun".into());
    config.node = Some(node);
}

#[test]
fn a_node_is_read() -> Tested {
    let text = "database = \"postgres://husun@db/husun\"\n[node]\nname = \"a\"\nnats = \"nats://127.0.0.1:4222\"\n";
    let read: Config = toml::from_str(text)?;
    let mut expected = Config::default();
    node(&mut expected, |_| ());
    assert_eq!(read.node, expected.node);
    assert_eq!(read.checked()?.keys(), Config::default().data);
    assert!(
        !format!("{read:?}").contains("4222"),
        "it may hold a password"
    );
    assert!(toml::from_str::<Config>(&format!("{text}nam = 1\n")).is_err());
    Ok(())
}

#[test]
fn a_way_to_send_mail_is_read() -> Tested {
    let text = "[mail]\nhost = \"mail.example.org\"\nfrom = \"Chess club <chess@example.org>\"\n\
        site = \"https://Play.example.org/\"\n";
    let read: Config = toml::from_str(text)?;
    let mut expected = Config::default();
    mail(&mut expected, |_| ());
    assert_eq!(read.mail, expected.mail);
    let site = read.checked()?.mail.map(|mail| mail.site);
    assert_eq!(site.as_deref(), Some("https://play.example.org"));
    let wrong = toml::from_str::<Config>(&format!("{text}pasword = 1\n"));
    assert!(wrong.is_err(), "unknown keys are errors");
    Ok(())
}

#[test]
fn what_makes_no_sense_is_told_at_the_start() -> Tested {
    Config::default().checked()?;
    for (text, word) in [
        (
            told(|c| c.engine_hash = 0)?,
            "engine_hash = 0: expected 1 to ",
        ),
        (
            told(|c| c.engine_hash = 1 << 40)?,
            "memory must hold them all",
        ),
        (
            told(|c| c.engine_hash = usize::MAX)?,
            "memory must hold them all",
        ),
        (
            told(|c| c.engine_threads = 0)?,
            "engine_threads = 0: expected 2 to 1024",
        ),
        (
            told(|c| c.engine_threads = 1_000_000)?,
            "expected 2 to 1024",
        ),
        (
            told(|c| c.limits.requests_per_second = u32::MAX)?,
            "limits.requests_per_second = 4294967295: expected at most 10000000, or 0",
        ),
        (
            told(|c| c.limits.live_games = 1 << 31)?,
            "limits.live_games",
        ),
        (
            told(|c| c.origins = vec!["play.example.org".into()])?,
            "an origin, as",
        ),
        (
            told(|c| c.origins = vec!["https://a.example/x".into()])?,
            "an origin, as",
        ),
        (
            told(|c| c.origins = vec!["ftp://a.example".into()])?,
            "an origin, as",
        ),
        (told(|c| c.origins = vec!["*".into()])?, "origins = \"*\""),
        (
            told(|c| c.hosts = vec!["https://a.example".into()])?,
            "a host name",
        ),
        (
            told(|c| c.hosts = vec!["a.example:80".into()])?,
            "without a port",
        ),
        (told(|c| c.hosts = vec!["".into()])?, "a host name"),
        (
            told(|c| c.push.contact = Some("club@example.org".into()))?,
            "push.contact = ",
        ),
        (told(|c| mail(c, |m| m.host = "".into()))?, "mail.host = "),
        (
            told(|c| mail(c, |m| m.from = "club".into()))?,
            "mail.from = ",
        ),
        (
            told(|c| mail(c, |m| m.site = "play.example.org".into()))?,
            "mail.site = ",
        ),
        (
            told(|c| mail(c, |m| m.user = Some("club".into())))?,
            "user and password_file, or neither",
        ),
        (
            told(|c| {
                mail(c, |m| {
                    m.tls = MailTls::None;
                    m.user = Some("club".into());
                    m.password_file = Some("word".into());
                })
            })?,
            "passwords are never sent unencrypted",
        ),
        (told(|c| mail(c, |m| m.per_day = 0))?, "mail.per_day = "),
        (
            told(|c| c.node = Some(NodeConfig::new("a", "nats://localhost")))?,
            "several nodes need a PostgreSQL database",
        ),
        (
            told(|c| node(c, |n| n.name = "a b".into()))?,
            "node.name = ",
        ),
        (told(|c| node(c, |n| n.nats.clear()))?, "node.nats = "),
        (
            told(|c| {
                node(c, |_| ());
                c.workers.nats = Some("nats://127.0.0.1:4222".into());
            })?,
            "workers.nats = ...: expected no such key",
        ),
        (
            told(|c| node(c, |n| n.lease_seconds = 1))?,
            "node.lease_seconds = ",
        ),
    ] {
        assert!(text.contains(word), "{text}");
    }
    Ok(())
}

#[test]
fn origins_and_hosts_are_written_as_browsers_do() -> Tested {
    let config = Config {
        origins: [
            "https://Play.Example.org/",
            "http://a.example:80",
            "http://a.example:8080",
        ]
        .map(Into::into)
        .into(),
        hosts: ["Play.Example.org", "[2001:DB8::1]"].map(Into::into).into(),
        ..Config::default()
    };
    let config = config.checked()?;
    let origins = [
        "https://play.example.org",
        "http://a.example",
        "http://a.example:8080",
    ];
    assert_eq!(config.origins, origins);
    assert_eq!(config.hosts, ["play.example.org", "[2001:db8::1]"]);
    Ok(())
}
