//! Makes games: of what one wishes for, which may be refused, and of what two have agreed on.

use super::{Directory, Made};
use crate::refusal::{Reason, Refused, refused};
use crate::services::{Services, secret, wall_ms};
use crate::watching::row;
use crate::wire::NewGame;
use husun::clock::TimeControl;
use husun::{Side, Variant};
use play::lobby::{Terms, Wanted};
use play::rating::Speed;
use play::table::{Event, Person, SeatSpec, Spec, StoredCard, Table, WAITING};
use play::{Both, Games, Who};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use store::running::Running;
use store::{CardRow, DefinitionRow, Due, GameWrite, NewGameRow, millis};

/// A game that is to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Making {
    /// Its id.
    pub id: String,
    /// What was settled.
    pub spec: Spec,
    /// Offers of which it is made, if it begins at once.
    pub offers: Option<Vec<String>>,
}

impl Directory {
    /// Makes a game from wishes, for a guest.
    pub async fn make(&self, wishes: &NewGame, person: &Person) -> Result<(Made, Side), Refused> {
        let side = wishes.side.map(husun::Side::from).unwrap_or_else(|| {
            match rand::rng().random_bool(0.5) {
                true => Side::White,
                false => Side::Black,
            }
        });
        let spec = spec_of(self.variants(), wishes, side, person)?;
        Ok((self.create(spec).await?, side))
    }

    /// Makes a game. It comes to life when someone comes to it.
    pub async fn create(&self, spec: Spec) -> Result<Made, Refused> {
        let table = self.table(&spec)?;
        let id = secret(7);
        let making = Making {
            id: id.clone(),
            spec,
            offers: None,
        };
        self.make_somewhere(making).await?;
        let services = &self.inner.services;
        let word = |side| {
            let opener = table.opener(Who::Player(side));
            opener.map(|o| services.keys.word(o)).unwrap_or_default()
        };
        Ok(Made {
            id,
            seats: Both::of(word),
        })
    }

    /// Makes a game between people who have agreed to play, wherever they are: it begins at once. It is made of offers
    /// that wait in storage, or is not made if one of them is open no more.
    pub async fn begin(&self, spec: Spec, offers: Vec<String>) -> Result<String, Refused> {
        let id = secret(7);
        self.begin_as(&id, spec, offers).await?;
        Ok(id)
    }

    /// [`Self::begin`] under an id that is given. The engine, if it plays, is there.
    pub async fn begin_as(&self, id: &str, spec: Spec, offers: Vec<String>) -> Result<(), Refused> {
        let making = Making {
            id: id.into(),
            spec,
            offers: Some(offers),
        };
        self.make_somewhere(making).await
    }

    /// Makes a game that this node owns.
    pub(super) async fn make_here(&self, making: &Making) -> Result<(), Refused> {
        let Making { id, spec, offers } = making;
        if let Some(variant) = &spec.variant {
            self.services().know(variant).await?;
        }
        match offers {
            Some(offers) => self.begin_here(id, spec, offers.clone()).await?,
            None => {
                let due = Due::At(millis(self.services().clock.now() + WAITING));
                self.store(self.first_write(id, &self.table(spec)?, due)?)
                    .await?;
            }
        }
        metrics::counter!("husun_games_made_total").increment(1);
        Ok(())
    }

    async fn begin_here(&self, id: &str, spec: &Spec, offers: Vec<String>) -> Result<(), Refused> {
        let mut table = self.table(spec)?;
        let services = &self.inner.services;
        let (at, now) = (Duration::ZERO, services.clock.now());
        let mut rows = Vec::new();
        let mut enact = |table: &mut Table, event: Event| {
            rows.push(services.row(table.seq() + 1, at, now, &event));
            let applied = table.apply(&event, at);
            applied.map_err(|e| refused(Reason::Game, e.to_string()))
        };
        for side in Side::ALL {
            let seat = spec.seats.get(side);
            if seat.level.is_some() {
                continue;
            }
            let person = seat.kept.clone().unwrap_or_default();
            for event in table.joined(Who::Player(side), person, String::new()) {
                enact(&mut table, event)?;
            }
        }
        while let Some(event) = table.follow_up() {
            enact(&mut table, event)?;
        }
        let due = match table.engine_is_asked() {
            // It does not wait for somebody to come.
            true => Duration::ZERO,
            false => table.earliest(at).unwrap_or(WAITING),
        };
        let warn = table.warned_from().map(|at| Due::At(millis(now + at)));
        let write = GameWrite {
            events: rows,
            warn,
            takes: offers,
            running: row::begins(&table, wall_ms())
                .map(|(row, board)| Running::Begins(Box::new(row), board)),
            ..self.first_write(id, &table, Due::At(millis(now + due)))?
        };
        self.store(write).await
    }

    fn table(&self, spec: &Spec) -> Result<Table, Refused> {
        let games = self.inner.services.games.clone();
        let table =
            Table::new(spec.clone(), games).map_err(|e| refused(Reason::Game, e.to_string()))?;
        match table.is_over() {
            true => Err(refused(Reason::Fen, "the game is over in that position")),
            false => Ok(table),
        }
    }

    /// What is stored of a game when it is made.
    fn first_write(&self, id: &str, table: &Table, due: Due) -> Result<GameWrite, Refused> {
        let Services { games, node, .. } = &**self.services();
        node.took_game();
        if !node.has_lease() {
            return Err(refused(
                Reason::Busy,
                "this part of the server has lost its way to the others; try again in a moment",
            ));
        }
        let definition = table.variant().and_then(|v| games.definition(v));
        let definition = definition.map(|d| DefinitionRow {
            name: d.name.clone(),
            texts: d.texts.clone(),
        });
        let spec = serde_json::to_string(table.spec());
        Ok(GameWrite {
            game: id.into(),
            owner: node.boot(),
            made: Some(NewGameRow {
                spec: spec.map_err(|e| refused(Reason::Game, e.to_string()))?,
                made_ms: wall_ms(),
                guests: table.guests().map(Into::into).collect(),
            }),
            definition,
            due: Some(due),
            card: Some(CardRow {
                seq: table.seq() as i64,
                text: StoredCard::of(table).to_text(),
            }),
            ..GameWrite::default()
        })
    }
}

/// A game as it is wished for by a person who plays one side.
fn spec_of(games: &Games, wishes: &NewGame, side: Side, person: &Person) -> Result<Spec, Refused> {
    let control: TimeControl = match wishes.clock.as_deref() {
        None | Some("") => TimeControl::None,
        Some(text) => text
            .parse()
            .map_err(|e| refused(Reason::Clock, format!("clock: {e}")))?,
    };
    let level = match wishes.level {
        Some(level @ 1..=8) => Some(level),
        Some(level) => {
            return Err(refused(
                Reason::Level,
                format!("level {level}, expected 1 to 8"),
            ));
        }
        None => None,
    };
    let variant = match &wishes.variant {
        Some(id) => Some(wished_variant(games, id)?),
        None => None,
    };
    let fen = match (&variant, &wishes.family) {
        (Some(variant), None) => start_fen(variant, wishes)?,
        (None, Some(family)) => {
            if games.family(family).is_none() {
                let known: Vec<&str> = games.families().iter().map(|f| f.name.as_str()).collect();
                let message = format!("no family {family:?}, expected {}", known.join(" or "));
                return Err(refused(Reason::Family, message));
            }
            if level.is_some() || wishes.fen.is_some() || wishes.setup.is_some() {
                let message =
                    "customs can only be settled between two people, from the standard set-up";
                return Err(refused(Reason::Family, message));
            }
            None
        }
        _ => {
            return Err(refused(
                Reason::Variant,
                "exactly one of variant and family is needed",
            ));
        }
    };
    if wishes.rated {
        may_be_rated(&control, fen.as_deref(), person)?;
    }
    let seat = |of: Side| SeatSpec {
        secret: String::new(),
        number: secret(16),
        level: level.filter(|_| of != side),
        kept: (of == side).then(|| person.clone()),
    };
    Ok(Spec {
        variant: variant.map(|variant| games.name(&variant)),
        family: wishes.family.clone(),
        fen,
        control,
        takebacks: wishes.takebacks,
        public: wishes.public,
        clocks_wait: true,
        tournament: None,
        rated: wishes.rated,
        engine_resigns: wishes.engine_resigns && level.is_some(),
        seats: Both::of(seat),
        seed: rand::rng().random(),
    })
}

/// A game between two people who have agreed to play.
pub(crate) fn agreed(terms: &Terms, players: Both<Person>) -> Spec {
    let (variant, family) = match &terms.wanted {
        Wanted::Variant(name) => (Some(name.clone()), None),
        Wanted::Family(name) => (None, Some(name.clone())),
    };
    Spec {
        variant,
        family,
        fen: None,
        control: terms.control,
        takebacks: false,
        public: Some(true),
        clocks_wait: true,
        tournament: None,
        rated: terms.rated,
        engine_resigns: false,
        seats: Both::of(|side| SeatSpec {
            number: secret(16),
            kept: Some(players.get(side).clone()),
            ..SeatSpec::default()
        }),
        seed: rand::rng().random(),
    }
}

/// What a game needs to count for ratings.
fn may_be_rated(control: &TimeControl, fen: Option<&str>, person: &Person) -> Result<(), Refused> {
    if !person.account {
        let message = "rated games need an account: sign in first";
        return Err(refused(Reason::SignIn, message));
    }
    if Speed::of(control).is_none() {
        let message = "a rated game must have a clock";
        return Err(refused(Reason::Clock, message));
    }
    if fen.is_some() {
        let message = "a rated game must begin from the standard set-up";
        return Err(refused(Reason::Setup, message));
    }
    Ok(())
}

/// The game that is wished for, as its file is now.
fn wished_variant(games: &Games, id: &str) -> Result<Arc<Variant>, Refused> {
    games
        .catalogue()
        .game(id)
        .map_err(|e| refused(Reason::Variant, e.to_string()))
}

fn start_fen(variant: &Arc<Variant>, wishes: &NewGame) -> Result<Option<String>, Refused> {
    match (&wishes.fen, wishes.setup.as_deref()) {
        (Some(_), Some(_)) => Err(refused(
            Reason::Fen,
            "a set-up and a position text exclude each other",
        )),
        (Some(fen), None) => {
            let position = variant
                .position(fen)
                .map_err(|e| refused(Reason::Fen, e.to_string()))?;
            Ok(Some(position.fen()))
        }
        (None, None | Some("standard")) => Ok(None),
        (None, Some(name)) => {
            let start = variant.start_of(name).ok_or_else(|| {
                let known: Vec<&str> = variant.setups().iter().map(|s| s.name.as_str()).collect();
                let message = format!("no set-up {name:?}, expected one of {}", known.join(", "));
                refused(Reason::Setup, message)
            })?;
            Ok(Some(start.fen()))
        }
    }
}
