//! The games of a tournament that were paired: made, and made again where it is not known whether they are there.

use super::live::Live;
use super::{MAKING, Tournaments};
use crate::accounts::person_of;
use crate::lobby::{game_shown, told_to};
use crate::notices::words;
use crate::refusal::{Reason, Refused, refused};
use crate::services::secret;
use crate::wire::{self, ServerMessage};
use futures_util::StreamExt;
use futures_util::stream;
use husun::Side;
use play::lobby::Wanted;
use play::table::{OfTournament, SeatSpec, Spec};
use play::tournament::{GameResult, Kind, Pairing, Plan, Tournament};
use play::{Both, rating};
use rand::RngExt;
use std::sync::Arc;

/// Milliseconds for a first move: a twentieth of what forty moves get in an arena, a fifth elsewhere, within bounds.
const FIRST_MOVE: [(u32, [u64; 2]); 2] = [(20, [20_000, 60_000]), (5, [60_000, 600_000])];

impl Tournaments {
    /// Makes the games that were paired and are not there.
    pub(super) async fn make_games(&self, live: &Arc<Live>) {
        let before = live.unmade();
        if before.is_empty() {
            return;
        }
        if live.is_doubtful() {
            // Some of them may be there: the storage did not answer.
            match self.inner.store.games_made(&before).await {
                Ok(made) => live.made(&made),
                Err(_) => return,
            }
        }
        let tournament = live.now();
        let makes = stream::iter(live.unmade()).map(|id| {
            let (tournament, live) = (tournament.clone(), live.clone());
            async move {
                let Err(refused) = self.make_game(&live, &tournament, &id).await else {
                    return;
                };
                let never = matches!(refused.reason, Reason::Game | Reason::Damaged);
                let message = refused.message;
                match never {
                    true => {
                        tracing::error!(game = id, %message, "a game of a tournament cannot be made: it does not count");
                        self.give_up(&live, &id).await;
                    }
                    false => {
                        live.doubt_games();
                        tracing::warn!(game = id, %message, "a game is made later");
                    }
                }
            }
        });
        makes.buffer_unordered(MAKING).collect::<Vec<()>>().await;
        if live.unmade() != before {
            // They are shown from now on.
            self.tell(live);
        }
    }

    /// Has a game that will never be made end without a result, so that the tournament goes on without it.
    async fn give_up(&self, live: &Arc<Live>, id: &str) {
        let none = GameResult {
            winner: None,
            points: Both::of(|_| 0.0),
            reason: String::new(),
            plies: 0,
            counts: false,
        };
        let done = self.change(live, Vec::new(), |tournament| {
            Ok(tournament.end_of(id, none.clone()).into_iter().collect())
        });
        match done.await {
            Ok(()) => live.made(&[id.to_owned()]),
            Err(refused) => {
                live.doubt_games();
                tracing::warn!(game = id, message = %refused.message, "that it does not count is noted later");
            }
        }
    }

    /// Looks which games another node has made meanwhile.
    pub(super) async fn look_for_games(&self, live: &Live) -> Result<(), Refused> {
        let unmade = live.unmade();
        if !unmade.is_empty() && !self.inner.directory.services().is_alone() {
            live.made(&self.inner.store.games_made(&unmade).await?);
        }
        Ok(())
    }

    async fn make_game(
        &self,
        live: &Live,
        tournament: &Tournament,
        id: &str,
    ) -> Result<(), Refused> {
        let pairing = tournament
            .pairings()
            .iter()
            .rev()
            .find(|p| p.new.game == id);
        let Some(pairing) = pairing else {
            live.made(&[id.to_owned()]);
            return Ok(());
        };
        let plan = tournament.plan();
        let wanted = plan.games.get(pairing.new.wanted as usize);
        let wanted =
            wanted.ok_or_else(|| refused(Reason::Damaged, "its game is not in the list"))?;
        let mut seats = Both::of(|_| SeatSpec::default());
        let mut people = Vec::new();
        for side in Side::ALL {
            let entrant = tournament.entrants().get(pairing.of(side) as usize);
            let entrant =
                entrant.ok_or_else(|| refused(Reason::Damaged, "it has no such player"))?;
            let seat = seats.get_mut(side);
            seat.number = secret(16);
            seat.level = entrant.level;
            if entrant.level.is_none() {
                let account = self.inner.accounts.store().account(&entrant.id).await?;
                let account =
                    account.ok_or_else(|| refused(Reason::Damaged, "a player is gone"))?;
                live.learn(vec![(account.id.clone(), account.name.clone())]);
                people.push(account.id.clone());
                seat.kept = Some(person_of(&account));
            }
        }
        let (variant, family) = match wanted {
            Wanted::Variant(name) => (Some(name.clone()), None),
            Wanted::Family(name) => (None, Some(name.clone())),
        };
        let spec = Spec {
            variant,
            family,
            fen: None,
            control: plan.control,
            takebacks: false,
            public: Some(true),
            clocks_wait: true,
            engine_resigns: true,
            rated: plan.rated,
            tournament: Some(OfTournament {
                id: live.id.clone(),
                first_move_ms: first_move_ms(plan),
            }),
            seats,
            seed: rand::rng().random(),
        };
        self.inner.directory.begin_as(id, spec, Vec::new()).await?;
        // Whoever is told of it finds it.
        live.made(&[id.to_owned()]);
        for person in &people {
            if plan.is_slow()
                && let Err(refused) = self.inner.vacations.tell_new(id, [person, person]).await
            {
                tracing::warn!(game = id, message = %refused.message, "a vacation is not told of");
            }
        }
        for (person, paired) in self.paired(live, tournament, pairing) {
            let happenings = &self.inner.directory.services().happenings;
            happenings.tell(words::paired(&person, &paired));
            self.publish(&told_to(&person), &ServerMessage::Paired(paired));
        }
        Ok(())
    }

    /// Those who meet in a game, each with what is told of it.
    fn paired(
        &self,
        live: &Live,
        tournament: &Tournament,
        pairing: &Pairing,
    ) -> Vec<(String, wire::Paired)> {
        let plan = tournament.plan();
        let Some(wanted) = plan.games.get(pairing.new.wanted as usize) else {
            return Vec::new();
        };
        let sides = Side::ALL.into_iter().filter_map(|side| {
            let entrant = tournament.entrants().get(pairing.of(side) as usize)?;
            let opponent = pairing.of(side.opponent());
            let paired = wire::Paired {
                game: pairing.new.game.clone(),
                side: side.into(),
                opponent: live.shown_name(tournament, opponent),
                name: game_shown(self.inner.directory.variants(), wanted).name,
                clock: plan.control.to_string(),
            };
            let is_person = entrant.level.is_none();
            is_person.then(|| (entrant.id.clone(), paired))
        });
        sides.collect()
    }

    /// Tells those who play of their games again, as the node before may have died before it did. Pages know what they were
    /// told; who plays by the day finds the game among the own ones.
    pub(super) async fn tell_pairings_again(&self) {
        for live in self.all_live() {
            let tournament = live.now();
            if tournament.plan().is_slow() {
                continue;
            }
            let made = tournament.pairings().iter();
            let made = made.filter(|p| p.result.is_none() && !live.is_unmade(&p.new.game));
            let made: Vec<&Pairing> = made.collect();
            let players = made.iter().flat_map(|p| [p.new.white, p.new.black]);
            let players = players.filter_map(|n| tournament.entrants().get(n as usize));
            let people = players.filter(|entrant| entrant.level.is_none());
            let ids: Vec<String> = people.map(|entrant| entrant.id.clone()).collect();
            if let Err(refused) = self.know_names(&live, &ids).await {
                tracing::warn!(tournament = live.id, message = %refused.message, "pairings are not told again");
                continue;
            }
            for pairing in made {
                for (person, paired) in self.paired(&live, &tournament, pairing) {
                    self.publish(&told_to(&person), &ServerMessage::Paired(paired));
                }
            }
            self.tell(&live);
        }
    }
}

/// Milliseconds that each side has for its first move.
fn first_move_ms(plan: &Plan) -> u64 {
    let arena = matches!(plan.kind, Kind::Arena { .. });
    let (part, [least, most]) = FIRST_MOVE[usize::from(!arena)];
    let usual = rating::usual_time(&plan.control).unwrap_or_default() / part;
    (usual.as_millis() as u64).clamp(least, most)
}
