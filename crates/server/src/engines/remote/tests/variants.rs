//! Which games a worker plays, and by what.

use super::messages::Unfit;
use super::*;
use games::Catalogue;
use std::path::Path;

fn lagoon() -> Result<Arc<Games>, Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut games = Catalogue::default();
    games.insert(games.read(&folder.join("lagoon.toml"))?);
    Ok(Arc::new(Games::new(games)))
}

/// A game of a file is sent to workers that do not have it; a game of the same name with other rules is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_plays_by_the_servers_rules() -> Tested {
    let bus = bus();
    let games = lagoon()?;
    let server = Server::with(&bus, games.clone()).await?;
    let worker = Honest::new(&bus, 1, None);
    let lagoon = games.find("lagoon")?;
    let variant = games.name(&lagoon);
    let asked = Job {
        definition: games.hash(&variant).ok_or("no hash")?,
        variant,
        fen: lagoon.start().fen(),
        key: lagoon.start().key(),
        ..job("game", Purpose::Play, SHORT)?
    };
    let mut play = server.engines.ask(asked.clone())?;
    assert!(timeout(WAIT, play.end()).await?.is_some());
    until(|| worker.tally.jobs() == 1).await?;

    let chess = job("game", Purpose::Play, SHORT)?;
    let unfit = [
        Job {
            definition: "another".into(),
            ..chess.clone()
        },
        Job {
            key: chess.key ^ 1,
            ..chess.clone()
        },
        Job {
            variant: "lagoon_0011223344556677".into(),
            ..asked
        },
    ];
    let mut asked = Vec::new();
    for job in unfit {
        asked.push(server.engines.ask(job)?);
        until(|| server.lent() == 0 && server.engines.local.shared.waiting().play == asked.len())
            .await?;
    }
    assert_eq!(worker.tally.jobs(), 1);
    // What one worker cannot do is offered to others.
    let odd = Odd::new(&bus, &server, "odd");
    let lent = odd.job(true).await?;
    assert_eq!(
        odd.give(lent.number, Ended::Unfit(Unfit::Game)).await?,
        Reply::Noted
    );
    worker.end().await?;
    server.engines.close();
    Ok(())
}

/// What lies beside a game's file goes with it: the worker plays as the server's own threads do.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_plays_by_the_values_and_the_network_of_a_file() -> Tested {
    let folder = std::env::temp_dir().join(format!("husun-tuning-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("own.toml");
    std::fs::write(
        &file,
        "id = \"own\"\ninherits = \"chess\"\nname = \"Own\"\n",
    )?;
    let plain = Arc::new(Games::new(catalogue_of(&file)?));
    let chess = Catalogue::default();
    let values = "[pieces]\nQ = [1500, 1700]\nN = [700, 600]\n".to_owned();
    std::fs::write(games::values_path(&file), &values)?;
    // No network, but it is sent as one: it takes several messages.
    let network: Vec<u8> = (0..3 * messages::PART + 5)
        .map(|n| (n * n % 251) as u8)
        .collect();
    std::fs::write(games::network_path(&file), &network)?;
    let tuned = Arc::new(Games::new(catalogue_of(&file)?));
    std::fs::remove_dir_all(&folder)?;
    let own = tuned.find("own")?;
    let name = tuned.name(&own);
    let asked = Job {
        definition: tuned.hash(&name).ok_or("no hash")?,
        variant: name.clone(),
        fen: own.start().fen(),
        key: own.start().key(),
        nodes: Some(2000),
        ..job("game", Purpose::Play, LONG)?
    };
    let thinks = async |games: &Arc<Games>, worker: bool| {
        let bus = bus();
        let server = Server::with(&bus, games.clone()).await?;
        let learns = Arc::default();
        let worker = worker.then(|| Honest::with(&bus, 1, None, Arc::clone(&learns)));
        if worker.is_none() {
            server.start_threads()?;
        }
        let mut play = server.engines.ask(asked.clone())?;
        let thought = timeout(WAIT, play.end()).await?.ok_or("no thought")?;
        if let Some(worker) = worker {
            worker.end().await?;
        }
        server.engines.close();
        Ok::<_, Box<dyn std::error::Error>>((thought, learns))
    };
    let (here, _) = thinks(&tuned, false).await?;
    let (there, learnt) = thinks(&tuned, true).await?;
    let (without, nothing) = thinks(&plain, true).await?;
    assert_eq!(there, here);
    assert_ne!(
        there, without,
        "values make no difference: the test shows nothing"
    );
    let tuning = learnt.tuning(&name).ok_or("nothing was sent")?;
    assert_eq!(tuning.values.as_deref(), Some(values.as_str()));
    assert!(tuning.network.as_deref() == Some(&network[..]));
    // Without a file there are the values and the network of the game that it inherits from.
    let inherited = nothing.tuning(&name).ok_or("nothing was sent")?;
    assert!(
        inherited
            .values
            .as_ref()
            .is_some_and(|text| *text != values)
    );
    let chess = chess.network(&chess.game("chess")?).map(Vec::from);
    assert!(inherited.network == chess && chess.is_some());
    Ok(())
}

fn catalogue_of(file: &Path) -> Result<Catalogue, Box<dyn std::error::Error>> {
    let mut catalogue = Catalogue::default();
    catalogue.insert(catalogue.read(file)?);
    Ok(catalogue)
}

/// A worker that does some games alone gets no others.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_chooses_its_games() -> Tested {
    let bus = bus();
    let server = Server::new(&bus).await?;
    let worker = Honest::new(&bus, 1, Some(vec!["shatranj".into()]));
    let shatranj = games::variant("shatranj").ok_or("no game")?;
    let _chess = server.engines.ask(job("ann", Purpose::Play, SHORT)?)?;
    let mut asked = server.engines.ask(Job {
        variant: "shatranj".into(),
        definition: server.games.hash("shatranj").ok_or("no hash")?,
        fen: shatranj.start().fen(),
        key: shatranj.start().key(),
        ..job("bob", Purpose::Play, SHORT)?
    })?;
    assert!(timeout(WAIT, asked.end()).await?.is_some());
    tokio::time::sleep(CALL).await;
    assert_eq!(server.engines.local.shared.waiting().play, 1);
    worker.end().await?;
    server.engines.close();
    Ok(())
}
