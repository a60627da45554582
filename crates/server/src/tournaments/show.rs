//! Tournaments as people see them: a game that was paired is shown from when it is there.

use super::live::{Live, read_plan};
use super::{Tournaments, is_past};
use crate::lobby::game_shown;
use crate::refusal::{Reason, Refused, refused};
use crate::services::wall_ms;
use crate::wire::{
    self, Title, TournamentCard, TournamentGame, TournamentGames, TournamentKind, TournamentNow,
    TournamentOwn, TournamentPhase, TournamentRow, TournamentScoring,
};
use husun::Side;
use play::table::Person;
use play::tournament::{Kind, Pairing, Phase, Plan, Scoring, Standing, TieBreak, Tournament, Turn};

/// Rows of a page of the standings.
const ROWS: usize = 50;
/// Games of a page.
const GAMES: usize = 50;
/// Tournaments of a page of those that are over.
const PAST: u32 = 30;
/// Rounds of a row at most; of an arena the last of its games.
const ROUNDS: usize = 40;
const LAST: usize = 20;

fn kind(kind: Kind) -> TournamentKind {
    match kind {
        Kind::Arena { minutes } => TournamentKind::Arena { minutes },
        Kind::Swiss { rounds } => TournamentKind::Swiss { rounds },
        Kind::RoundRobin { twice } => TournamentKind::RoundRobin { twice },
    }
}

fn phase(phase: Phase) -> TournamentPhase {
    match phase {
        Phase::Open => TournamentPhase::Open,
        Phase::Running => TournamentPhase::Running,
        Phase::Over => TournamentPhase::Over,
        Phase::Cancelled => TournamentPhase::Cancelled,
    }
}

fn tie(tie: TieBreak) -> wire::TieBreak {
    match tie {
        TieBreak::Buchholz => wire::TieBreak::Buchholz,
        TieBreak::BuchholzCut1 => wire::TieBreak::BuchholzCut1,
        TieBreak::SonnebornBerger => wire::TieBreak::SonnebornBerger,
        TieBreak::DirectEncounter => wire::TieBreak::DirectEncounter,
        TieBreak::Wins => wire::TieBreak::Wins,
        TieBreak::Blacks => wire::TieBreak::Blacks,
    }
}

fn points(half_points: i64) -> f64 {
    half_points as f64 / 2.0
}

impl Tournaments {
    fn card(&self, id: &str, plan: &Plan, now: Phase, people: usize) -> TournamentCard {
        let games = self.inner.directory.variants();
        TournamentCard {
            id: id.into(),
            name: plan.name.clone(),
            kind: kind(plan.kind),
            games: plan.games.iter().map(|w| game_shown(games, w)).collect(),
            clock: plan.control.to_string(),
            rated: plan.rated,
            phase: phase(now),
            starts_ms: plan.starts_ms,
            people: people as u32,
            most: plan.most,
        }
    }

    fn card_of(&self, live: &Live) -> TournamentCard {
        let tournament = live.now();
        let people = tournament.entrants().iter().filter(|e| !e.away).count();
        self.card(&live.id, tournament.plan(), tournament.phase(), people)
    }

    /// What there is; of those that are over the ones from a place on.
    pub async fn list(
        &self,
        person: &Person,
        before: Option<&str>,
    ) -> Result<wire::Tournaments, Refused> {
        let all = self.all_live();
        for live in &all {
            self.freshened(live).await?;
        }
        let mut open: Vec<TournamentCard> = all
            .iter()
            .filter(|live| !is_past(live))
            .map(|live| self.card_of(live))
            .collect();
        open.sort_by(|one, other| (one.starts_ms, &one.id).cmp(&(other.starts_ms, &other.id)));
        let before = match before {
            None => (i64::MAX, ""),
            Some(text) => {
                let place = text
                    .split_once('.')
                    .and_then(|(ms, id)| Some((ms.parse().ok()?, id)));
                place.ok_or_else(|| {
                    let message = format!("before: {text:?}, expected the `next` of a page");
                    refused(Reason::Query, message)
                })?
            }
        };
        let rows = self.inner.store.past_tournaments(before, PAST).await?;
        let next = rows
            .last()
            .filter(|_| rows.len() as u32 == PAST)
            .map(|row| format!("{}.{}", row.starts_ms, row.id));
        let mut past = Vec::new();
        for row in &rows {
            let plan = match read_plan(row) {
                Ok(plan) => plan,
                Err(refused) => {
                    tracing::error!(message = %refused.message, "it is not listed");
                    continue;
                }
            };
            let now = if row.phase == "cancelled" {
                Phase::Cancelled
            } else {
                Phase::Over
            };
            past.push(self.card(&row.id, &plan, now, row.people.max(0) as usize));
        }
        Ok(wire::Tournaments {
            open,
            past,
            next,
            may_make: self.may_make(person).is_ok(),
        })
    }

    /// A tournament with a page of its standings.
    pub async fn look(
        &self,
        id: &str,
        person: &Person,
        page: u32,
    ) -> Result<TournamentNow, Refused> {
        let live = self.find(id).await?;
        self.look_for_games(&live).await?;
        let (tournament, standings) = live.standings();
        let plan = tournament.plan();
        let pages = standings.len().div_ceil(ROWS).max(1) as u32;
        let page = page.clamp(1, pages);
        let shown: Vec<&Standing> = standings
            .chunks(ROWS)
            .nth(page as usize - 1)
            .map_or_else(Vec::new, |rows| rows.iter().collect());
        let own = tournament.number(&person.guest);
        let own = own.and_then(|number| {
            let at = standings.iter().position(|s| s.entrant == number)?;
            Some((standings.get(at)?, at / ROWS + 1))
        });
        let ids = shown.iter().chain(own.iter().map(|(own, _)| own));
        let ids = ids.filter_map(|s| tournament.entrants().get(s.entrant as usize));
        let ids = ids.filter(|e| e.level.is_none()).map(|e| e.id.clone());
        let ids: Vec<String> = ids.chain([live.maker.clone()]).collect();
        self.know_names(&live, &ids).await?;
        let between = tournament.phase() == Phase::Running
            && !matches!(plan.kind, Kind::Arena { .. })
            && tournament.running() == 0;
        Ok(TournamentNow {
            card: self.card_of(&live),
            n: tournament.seq(),
            maker: live.name(&live.maker).unwrap_or_default(),
            scoring: match plan.scoring {
                Scoring::Standard => TournamentScoring::Standard,
                Scoring::GamePoints => TournamentScoring::GamePoints,
            },
            tie_breaks: plan.tie_breaks.iter().map(|t| tie(*t)).collect(),
            break_s: plan.break_s,
            level: plan.level,
            title: plan.champion.clone(),
            round: tournament.rounds(),
            rounds: tournament.rounds_in_all(),
            running: tournament.running().saturating_sub(live.unmade().len()) as u32,
            closes_ms: tournament.closes_ms(),
            next_ms: tournament.next_ms().filter(|_| between),
            now_ms: wall_ms(),
            standings: shown.iter().map(|s| row(&live, &tournament, s)).collect(),
            page,
            pages,
            own: own.map(|(standing, page)| {
                let row = row(&live, &tournament, standing);
                let playing = playing(&live, &tournament, standing.entrant);
                TournamentOwn {
                    side: playing.map(|p| p.side_of(standing.entrant).into()),
                    row,
                    page: page as u32,
                }
            }),
            may_cancel: live.maker == person.guest && tournament.phase() == Phase::Open,
        })
    }

    /// Games of a tournament, the last first: of a round, of a player, before a number.
    pub async fn games(
        &self,
        id: &str,
        round: Option<u32>,
        player: Option<&str>,
        before: Option<u32>,
    ) -> Result<TournamentGames, Refused> {
        let live = self.find(id).await?;
        self.look_for_games(&live).await?;
        let tournament = live.now();
        let player = match player {
            Some(name) => Some(self.entrant(&tournament, name).await?),
            None => None,
        };
        let before = before.map_or(usize::MAX, |before| before as usize);
        let fits = |pairing: &Pairing| {
            round.is_none_or(|round| pairing.round == round)
                && player.is_none_or(|n| pairing.new.white == n || pairing.new.black == n)
        };
        let found = tournament.pairings().iter().enumerate().rev();
        let mut found = found.filter(|(n, pairing)| {
            *n < before && fits(pairing) && !live.is_unmade(&pairing.new.game)
        });
        let page: Vec<(usize, &Pairing)> = found.by_ref().take(GAMES).collect();
        let more = found.next().is_some();
        let next = page.last().filter(|_| more).map(|(n, _)| *n as u32);
        let byes: Vec<u32> = match (round, player) {
            (Some(round), None) if !matches!(tournament.plan().kind, Kind::Arena { .. }) => (0
                ..tournament.entrants().len() as u32)
                .filter(|n| {
                    let turn = tournament.turns(*n).get((round as usize).wrapping_sub(1));
                    matches!(turn, Some(Turn::Bye | Turn::WonWithoutGame(_)))
                })
                .collect(),
            _ => Vec::new(),
        };
        let ids = page.iter().flat_map(|(_, p)| [p.new.white, p.new.black]);
        let ids = ids.chain(byes.iter().copied());
        let ids = ids.filter_map(|n| tournament.entrants().get(n as usize));
        let ids: Vec<String> = ids
            .filter(|e| e.level.is_none())
            .map(|e| e.id.clone())
            .collect();
        self.know_names(&live, &ids).await?;
        let games = self.inner.directory.variants();
        let shown = |(_, pairing): &(usize, &Pairing)| {
            let wanted = tournament.plan().games.get(pairing.new.wanted as usize);
            let side = |side| tournament.half_points(pairing, side, false).map(points);
            TournamentGame {
                game: pairing.new.game.clone(),
                round: pairing.round,
                name: wanted.map_or_else(String::new, |w| game_shown(games, w).name),
                white: live.shown_name(&tournament, pairing.new.white),
                black: live.shown_name(&tournament, pairing.new.black),
                white_points: side(Side::White),
                black_points: side(Side::Black),
                reason: pairing.result.as_ref().map(|r| r.reason.clone()),
            }
        };
        Ok(TournamentGames {
            games: page.iter().map(shown).collect(),
            byes: byes
                .iter()
                .map(|n| live.shown_name(&tournament, *n))
                .collect(),
            next,
        })
    }

    async fn entrant(&self, tournament: &Tournament, name: &str) -> Result<u32, Refused> {
        let level = name
            .strip_prefix("Level ")
            .and_then(|level| level.parse().ok());
        let id = match level {
            Some(level) => Some(play::rating::engine_id(level)),
            None => self
                .inner
                .accounts
                .named(name)
                .await?
                .map(|account| account.id),
        };
        let number = id.and_then(|id| tournament.number(&id));
        number.ok_or_else(|| refused(Reason::NoSuchPerson, "nobody with this name takes part"))
    }

    /// Titles of a person.
    pub async fn titles(&self, account: &str) -> Result<Vec<Title>, Refused> {
        let mut titles = Vec::new();
        for row in self.inner.store.titles(account).await? {
            let Some(of) = self.inner.store.tournament(&row.tournament).await? else {
                continue;
            };
            let holder = self.inner.store.holder(&row.title).await?;
            let holds = holder
                .is_some_and(|last| last.tournament == row.tournament || last.at_ms == row.at_ms);
            titles.push(Title {
                holds,
                title: row.title,
                name: read_plan(&of)?.name,
                tournament: row.tournament,
                at_ms: row.at_ms,
            });
        }
        Ok(titles)
    }
}

/// The game that an entrant plays.
fn playing<'a>(live: &Live, tournament: &'a Tournament, entrant: u32) -> Option<&'a Pairing> {
    let turns = tournament.turns(entrant).iter().rev();
    let mut games = turns.filter_map(|turn| match turn {
        Turn::Game(game) => tournament.pairings().get(*game),
        _ => None,
    });
    let running = games.find(|pairing| pairing.result.is_none());
    running.filter(|pairing| !live.is_unmade(&pairing.new.game))
}

fn row(live: &Live, tournament: &Tournament, standing: &Standing) -> TournamentRow {
    let entrant = tournament.entrants().get(standing.entrant as usize);
    let given = tournament.given(standing.entrant);
    let arena = matches!(tournament.plan().kind, Kind::Arena { .. });
    let from = given
        .len()
        .saturating_sub(if arena { LAST } else { ROUNDS });
    let given = given.get(from..).unwrap_or_default();
    TournamentRow {
        rank: standing.rank,
        name: live.shown_name(tournament, standing.entrant),
        level: entrant.and_then(|e| e.level),
        rating: entrant.map_or(0, |e| e.rating),
        score: points(standing.half_points),
        ties: standing.ties.clone(),
        won: standing.won,
        drawn: standing.drawn,
        lost: standing.lost,
        points: given.iter().map(|half| half.map(points)).collect(),
        game: playing(live, tournament, standing.entrant).map(|p| p.new.game.clone()),
        streak: standing.streak,
        away: entrant.is_some_and(|e| e.away),
    }
}
