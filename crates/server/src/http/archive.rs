//! Finished games: pages of what was searched for, and all of it as one file that is written while it is sent.

mod query;

use self::query::Asked;
use super::Failure;
use super::address::Address;
use super::looks::wanted;
use crate::archive::Archive;
use crate::directory::Directory;
use crate::limits::places::Place;
use crate::limits::{Guard, Network};
use crate::refusal::{Reason, Refused};
use crate::state::App;
use crate::visitor::Visitor;
use crate::wire::{ArchivePage, ArchivedGame, ArchivedPlayer, Both, Refusal};
use crate::work::Weight;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use husun::Side;
use play::archive::UNTIMED;
use play::table::{Stage, StoredCard};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::archive::{FoundGame, Search};

/// What a page costs, in positions.
const PAGE: usize = 100;
/// Cards made anew at once.
const CARDS: usize = 8;
/// Games of a part of a file.
const PART: u32 = 50;
/// Pause of a file whose reader has had as much as the limits give.
const PAUSE: Duration = Duration::from_millis(200);

/// Finished games, those that ended last first. Games that are not shown to all are found by their players alone.
#[utoipa::path(get, path = "/api/archive", params(Asked),
    responses((status = 200, body = ArchivePage), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 422, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn find(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<impl IntoResponse, Failure> {
    let asked = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let search = asked.search(&app, &visitor).await?;
    let archive = &app.directory.services().archive;
    let found = archive.search(&search).await?;
    let (next, searched_to_ms) = (found.next, found.searched_to_ms());
    let cards = found.games.into_iter().map(|game| {
        let card = game.card.as_deref().and_then(StoredCard::read);
        // One of a time before the end does not know it.
        (game, card.filter(|card| card.stage == Stage::Over))
    });
    let cards: Vec<(FoundGame, Option<StoredCard>)> = cards.collect();
    let without = cards.iter().filter(|(_, card)| card.is_none());
    let plies: i64 = without.map(|(game, _)| game.plies).sum();
    super::charge(&app, address, usize::try_from(plies).unwrap_or(usize::MAX))?;
    let directory = &app.directory;
    let games: Vec<Option<ArchivedGame>> = stream::iter(cards)
        .map(|(game, card)| listed(directory, game, card))
        .buffered(CARDS)
        .try_collect()
        .await?;
    let page = ArchivePage {
        games: games.into_iter().flatten().collect(),
        next,
        searched_to_ms,
        waiting: u32::try_from(archive.waiting()).unwrap_or(u32::MAX),
    };
    Ok((visitor, axum::Json(page)))
}

/// A game as it is told; nothing of one that cannot be read, which is logged. A passing fault is told: what was left out for it
/// would be on no page.
async fn listed(
    directory: &Directory,
    game: FoundGame,
    card: Option<StoredCard>,
) -> Result<Option<ArchivedGame>, Refused> {
    let card = match card {
        Some(card) => card,
        None => match directory.make_card(&game.game).await {
            Ok(card) => card,
            Err(refused) if matches!(refused.reason, Reason::Storage | Reason::Busy) => {
                return Err(refused);
            }
            Err(Refused { message, .. }) => {
                tracing::warn!(game = %game.game, %message, "not listed");
                return Ok(None);
            }
        },
    };
    let player = |side: Side| {
        let player = card.players.get(side);
        ArchivedPlayer {
            name: player.name.clone(),
            account: player.account,
            bot: player.bot,
            level: player.level,
            rating: game.ratings[side.index()].map(|rating| rating as i32),
        }
    };
    let Some(result) = card.result.clone() else {
        return Ok(None);
    };
    Ok(Some(ArchivedGame {
        variant: directory.variants().shown(&game.variant),
        name: card.name.clone(),
        players: Both::of(player),
        result: result.into(),
        clock: card.clock.clone(),
        speed: (game.speed != UNTIMED).then_some(game.speed),
        rated: game.rated,
        ply: u32::try_from(game.plies).unwrap_or(u32::MAX),
        ended_ms: game.ended_ms,
        reached: game.ply.and_then(|ply| u32::try_from(ply).ok()),
        id: game.game,
    }))
}

/// All that a search finds, as PGN texts one after another. `limit` is not looked at. It comes as fast as the limits
/// for positions let it.
#[utoipa::path(get, path = "/api/archive.pgn", params(Asked),
    responses((status = 200, content_type = "application/x-chess-pgn", body = String), (status = 400, body = Refusal),
        (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn pgn(
    State(app): State<App>,
    Address(address): Address,
    visitor: Visitor,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, Failure> {
    let asked = wanted(query)?;
    super::charge(&app, address, PAGE)?;
    let search = asked.search(&app, &visitor).await?;
    let archive = app.directory.services().archive.clone();
    let place = archive.may_export(address)?;
    let mut writing = Writing {
        directory: app.directory.clone(),
        archive,
        guard: app.guard.clone(),
        address,
        search: Search {
            limit: PART,
            ..search
        },
        part: VecDeque::new(),
        more: true,
        _place: place,
    };
    // What cannot be searched is refused as such, before anything is sent.
    writing.look().await?;
    // What compresses it asks once more after the end.
    let body = Body::from_stream(stream::unfold(Some(writing), Writing::next).fuse());
    let headers = [
        (
            header::CONTENT_TYPE,
            "application/x-chess-pgn; charset=utf-8",
        ),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"husun-archive.pgn\"",
        ),
    ];
    Ok((visitor, headers, body).into_response())
}

struct Writing {
    directory: Directory,
    archive: Archive,
    guard: Arc<Guard>,
    address: IpAddr,
    search: Search,
    part: VecDeque<FoundGame>,
    more: bool,
    _place: Place<Network>,
}

impl Writing {
    /// Takes the next part.
    async fn look(&mut self) -> Result<(), Refused> {
        let found = self.archive.search(&self.search).await?;
        self.part = found.games.into();
        self.search.after = found.next;
        self.more = found.next.is_some();
        Ok(())
    }

    /// The next game. What cannot be searched or read at the moment breaks the answer off, so that nobody takes it for
    /// whole.
    async fn next(writing: Option<Writing>) -> Option<(std::io::Result<Bytes>, Option<Writing>)> {
        let mut writing = writing?;
        loop {
            if let Some(game) = writing.part.pop_front() {
                writing
                    .pay(u32::try_from(game.plies).unwrap_or(u32::MAX))
                    .await;
                return match writing.game(&game.game).await {
                    Ok(text) => Some((Ok(text.into()), Some(writing))),
                    Err(error) => Some((Err(std::io::Error::other(error)), None)),
                };
            }
            if !writing.more {
                return None;
            }
            writing.pay(PAGE as u32).await;
            if let Err(error) = writing.look().await {
                return Some((Err(std::io::Error::other(error)), None));
            }
        }
    }

    /// Waits until so much may be computed.
    async fn pay(&self, positions: u32) {
        while !self.guard.positions(self.address, positions) {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A game; one that is damaged is told in a line that readers of PGN pass over.
    async fn game(&self, id: &str) -> Result<String, Refused> {
        let problem = |problem: &str| {
            let problem = problem.replace(['\n', '\r'], " ");
            format!("% game {id} cannot be read: {problem}\n\n")
        };
        let read = match self.directory.read(id).await {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(problem("it is not there")),
            Err(refused) if refused.reason == Reason::Damaged => {
                return Ok(problem(&refused.message));
            }
            Err(refused) => return Err(refused),
        };
        let of = id.to_owned();
        let write = move || crate::pgn::of_table(&of, &read.table, read.began_ms);
        let text = self.directory.work().run(Weight::Light, write).await?;
        Ok(match text {
            Ok(text) => format!("{}\n\n", text.trim_end()),
            Err(error) => problem(&error),
        })
    }
}
