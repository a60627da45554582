//! Ratings of games, people as others see them, lists of the best.

use super::Failure;
use super::address::Address;
use super::games::no_game;
use crate::directory::Payer;
use crate::ratings::rating_of;
use crate::refusal::Reason;
use crate::services::wall_ms;
use crate::state::App;
use crate::wire::{
    Both, GameRating, GameRatings, Profile, ProfileRating, RankedPlayer, RatingNow, RatingPoint,
    Refusal,
};
use axum::extract::{Path, State};
use husun::Side;
use play::rating::{Rating, Speed, engine_id, level_of};
use store::accounts::AccountRow;

/// Milliseconds of an hour: nobody is told the minute at which a person was here.
const HOUR: i64 = 3_600_000;

fn shown(rating: &Rating, games: i64) -> RatingNow {
    RatingNow {
        rating: rating.rating.round() as i32,
        deviation: rating.deviation.round() as i32,
        provisional: rating.is_provisional(),
        games: games as u32,
    }
}

/// A class of clocks by its name, or that of a clock.
fn speed_of(text: &str) -> Result<Speed, Failure> {
    let named = Speed::ALL.into_iter().find(|speed| speed.name() == text);
    let of_clock = || Speed::of(&text.parse().ok()?);
    named.or_else(of_clock).ok_or_else(|| {
        let text = format!(
            "speed {text:?}, expected blitz, rapid, slow, correspondence or a clock such as fischer:5m+3s"
        );
        Failure::of(Reason::Clock, text)
    })
}

pub(super) async fn person(app: &App, name: &str) -> Result<AccountRow, Failure> {
    let found = app.accounts.named(name).await?;
    found.ok_or_else(|| Failure::of(Reason::NoSuchPerson, "there is nobody with this name"))
}

/// The ratings of both players of a game that counts, and what it has changed.
#[utoipa::path(get, path = "/api/games/{id}/ratings", params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = GameRatings), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub async fn of_game(
    State(app): State<App>,
    Address(address): Address,
    Path(id): Path<String>,
) -> Result<axum::Json<GameRatings>, Failure> {
    let payer = Payer::Address(&app.guard, address);
    let table = app.directory.read_for(&id, payer).await?;
    let table = table.ok_or_else(no_game)?.table;
    let not_rated = || Failure::of(Reason::NotRated, "this game does not count for ratings");
    let speed = Speed::of(&table.spec().control).filter(|_| table.spec().rated);
    let speed = speed.ok_or_else(not_rated)?;
    let ratings = &app.directory.services().ratings;
    let changes = ratings.by(&id).await?;
    let mut players = Both::default();
    // While customs are being settled nobody knows which game it will be.
    if let Some(variant) = table.variant_name() {
        for side in Side::ALL {
            let id = match (table.level(side), table.person(side)) {
                (Some(level), _) => engine_id(level),
                (None, Some(person)) => person.guest.clone(),
                (None, None) => continue,
            };
            let (now, games) = ratings.now(&id, &variant, speed).await?;
            let change = changes.iter().find(|c| c.person == id);
            let told = GameRating {
                now: shown(&now, games),
                change: change.map(|c| c.after.round() as i32 - c.before.round() as i32),
            };
            match side {
                Side::White => players.white = Some(told),
                Side::Black => players.black = Some(told),
            }
        }
    }
    Ok(axum::Json(GameRatings {
        speed: speed.name().into(),
        players,
    }))
}

/// A person with an account, as others see them.
#[utoipa::path(get, path = "/api/people/{name}", params(("name" = String, Path, description = "Name of the account")),
    responses((status = 200, body = Profile), (status = 404, body = Refusal), (status = 503, body = Refusal)))]
pub async fn profile(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<axum::Json<Profile>, Failure> {
    let account = person(&app, &name).await?;
    let services = app.directory.services();
    let now_ms = wall_ms();
    let ratings = services.ratings.of(&account.id).await?;
    let ratings = ratings.into_iter().map(|row| {
        let variant = services.games.shown(&row.variant);
        let known = services.games.find(&variant);
        ProfileRating {
            name: known.map_or_else(|_| variant.clone(), |v| v.name().into()),
            variant,
            now: shown(&rating_of(&row).at(now_ms), row.games),
            speed: row.speed,
        }
    });
    Ok(axum::Json(Profile {
        ratings: ratings.collect(),
        titles: app.tournaments.titles(&account.id).await?,
        name: account.name,
        bot: account.bot,
        made_ms: account.made_ms,
        seen_ms: account.seen_ms / HOUR * HOUR,
    }))
}

/// How a person's rating has gone, the newest first.
#[utoipa::path(get, path = "/api/people/{name}/ratings/{variant}/{speed}",
    params(("name" = String, Path, description = "Name of the account"), ("variant" = String, Path, description = "Id of the game"),
        ("speed" = String, Path, description = "Class of the clock, or a clock")),
    responses((status = 200, body = Vec<RatingPoint>), (status = 404, body = Refusal), (status = 422, body = Refusal),
        (status = 503, body = Refusal)))]
pub async fn history(
    State(app): State<App>,
    Path((name, variant, speed)): Path<(String, String, String)>,
) -> Result<axum::Json<Vec<RatingPoint>>, Failure> {
    let account = person(&app, &name).await?;
    let ratings = &app.directory.services().ratings;
    let rows = ratings
        .history(&account.id, &variant, speed_of(&speed)?)
        .await?;
    let points = rows.into_iter().map(|row| RatingPoint {
        game: row.game,
        at_ms: row.at_ms,
        rating: row.after.round() as i32,
        deviation: row.deviation.round() as i32,
    });
    Ok(axum::Json(points.collect()))
}

/// The best of a game and speed, levels of the engine among them. Who is provisional is not in it.
#[utoipa::path(get, path = "/api/ratings/{variant}/{speed}",
    params(("variant" = String, Path, description = "Id of the game"), ("speed" = String, Path, description = "Class of the clock, or a clock")),
    responses((status = 200, body = Vec<RankedPlayer>), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 503, body = Refusal)))]
pub async fn best(
    State(app): State<App>,
    Path((variant, speed)): Path<(String, String)>,
) -> Result<axum::Json<Vec<RankedPlayer>>, Failure> {
    let ratings = &app.directory.services().ratings;
    let now_ms = wall_ms();
    let rows = ratings.best(&variant, speed_of(&speed)?).await?;
    let ranked = rows.into_iter().filter_map(|row| {
        let now = rating_of(&row.rating).at(now_ms);
        let level = level_of(&row.rating.person);
        let name = match level {
            Some(level) => format!("Husun, level {level}"),
            None => row.name?,
        };
        (!now.is_provisional()).then(|| RankedPlayer {
            name,
            level,
            bot: row.bot,
            now: shown(&now, row.rating.games),
        })
    });
    Ok(axum::Json(ranked.collect()))
}

/// The levels of the engine with their ratings, from level 1 on.
#[utoipa::path(get, path = "/api/ratings/{variant}/{speed}/levels",
    params(("variant" = String, Path, description = "Id of the game"), ("speed" = String, Path, description = "Class of the clock, or a clock")),
    responses((status = 200, body = Vec<RankedPlayer>), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 503, body = Refusal)))]
pub async fn levels(
    State(app): State<App>,
    Path((variant, speed)): Path<(String, String)>,
) -> Result<axum::Json<Vec<RankedPlayer>>, Failure> {
    let ratings = &app.directory.services().ratings;
    let speed = speed_of(&speed)?;
    let mut levels = Vec::new();
    for level in engine::Level::all().map(engine::Level::number) {
        let (now, games) = ratings.now(&engine_id(level), &variant, speed).await?;
        levels.push(RankedPlayer {
            name: format!("Husun, level {level}"),
            level: Some(level),
            bot: false,
            now: shown(&now, games),
        });
    }
    Ok(axum::Json(levels))
}
