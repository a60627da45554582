//! A game as it is told to those who play and watch.

use super::{Opener, Table, Who};
use crate::wire::{
    Both, Choice, Clocks, Counsel, CustomsNow, CustomsQuestion, GameResult, Now, Player, Snapshot,
    Stage, Time,
};
use husun::clock::Remaining;
use husun::{Game, Outcome, Position, Side};
use std::time::Duration;

/// Who is there now, as the sockets know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presence {
    /// Players.
    pub online: Both<bool>,
    /// All others.
    pub watchers: u32,
}

/// Square of the royal piece in check.
pub fn check(position: &Position) -> Option<String> {
    let square = position
        .in_check()
        .then(|| position.royal_square(position.turn()))??;
    Some(position.variant().frame().name(square).to_string())
}

/// A result.
pub fn result(outcome: &Outcome) -> GameResult {
    GameResult {
        winner: outcome.winner.map(Into::into),
        reason: outcome.reason.name().into(),
        points: Both {
            white: outcome.points[0],
            black: outcome.points[1],
        },
    }
}

/// Letters of captured pieces, by the side that lost them.
pub fn captured(game: &Game) -> Both<String> {
    let captured = game.captured();
    Both::of(|side| {
        let kinds = captured[side.index()].iter();
        kinds.map(|&k| game.variant().piece(k).letter).collect()
    })
}

fn time(remaining: Remaining) -> Option<Time> {
    let ms = |d: Duration| d.as_millis() as u64;
    let (main, extra, periods) = match remaining {
        Remaining::Tiger {
            engagement,
            reserve,
        } => (engagement, Some(reserve), None),
        Remaining::Fischer { time } | Remaining::Correspondence { time } => (time, None, None),
        Remaining::Delay { time, delay } => (time, Some(delay), None),
        Remaining::Byoyomi {
            main,
            period,
            periods,
        } => (main, Some(period), Some(periods)),
        Remaining::Unlimited => return None,
    };
    Some(Time {
        main_ms: ms(main),
        extra_ms: extra.map(ms),
        periods,
    })
}

impl Table {
    /// Id of the variant, once settled.
    pub fn variant_id(&self) -> Option<&str> {
        self.variant.as_ref().map(|v| v.id())
    }

    /// Name of the variant or the family.
    pub fn name(&self) -> String {
        match (&self.variant, &self.spec.family) {
            (Some(variant), _) => variant.name().to_owned(),
            (None, Some(family)) => family.clone(),
            (None, None) => String::new(),
        }
    }

    /// Name of a side's player; empty if nobody has come.
    pub fn player_name(&self, side: Side) -> String {
        match (self.level(side), self.person(side)) {
            (Some(level), _) => format!("Husun, level {level}"),
            (None, Some(person)) => person.name.clone(),
            (None, None) => String::new(),
        }
    }

    fn player(&self, side: Side, presence: &Presence) -> Player {
        let seat = self.spec.seats.get(side);
        Player {
            name: self.player_name(side),
            level: seat.level,
            seated: self.is_there(side),
            online: seat.level.is_some() || *presence.online.get(side),
        }
    }

    fn clocks(&self, at: Duration) -> Option<Clocks> {
        let clock = self.clock.as_ref()?;
        let of = |side: Side| time(clock.remaining(side, at));
        Some(Clocks {
            times: Both {
                white: of(Side::White)?,
                black: of(Side::Black)?,
            },
            running: clock.turn().filter(|_| !clock.is_paused()).map(Into::into),
        })
    }

    pub(super) fn outcome(&self) -> Option<GameResult> {
        let outcome = self.game.as_ref()?.outcome();
        outcome.as_ref().map(result)
    }

    fn customs_now(&self, at: Duration) -> Option<CustomsNow> {
        let customs = self.customs.as_ref()?;
        let questions = customs.questions.iter().map(|q| {
            // A choice by die is not told before both have chosen, so that neither is led by the other.
            let told = q.settled.is_some()
                || (q.chosen.white.is_some() && q.chosen.black.is_some())
                || customs.family.method == crate::wire::CustomsMethod::Turns;
            CustomsQuestion {
                name: q.name.clone(),
                values: q.values.clone(),
                asked: match self.stage() {
                    Stage::Customs => self.asked(&q.name).into_iter().map(Into::into).collect(),
                    _ => Vec::new(),
                },
                chosen: match told {
                    true => q.chosen.clone(),
                    false => Both::default(),
                },
                settled: q.settled.clone(),
            }
        });
        let silent = (self.stage() == Stage::Customs).then(|| {
            let end = customs.since + super::SILENCE;
            end.saturating_sub(at).as_millis() as u64
        });
        Some(CustomsNow {
            family: customs.family.name.clone(),
            questions: questions.collect(),
            die: customs.die,
            silent_in_ms: silent,
        })
    }

    fn chosen_by(&self, side: Side) -> Vec<Choice> {
        let questions = self.customs.iter().flat_map(|c| &c.questions);
        let chosen = questions.filter_map(|q| {
            Some(Choice {
                name: q.name.clone(),
                value: q.chosen.get(side).clone()?,
            })
        });
        chosen.collect()
    }

    fn counsel_now(&self) -> Option<Both<Counsel>> {
        self.has_counsellors().then(|| {
            Both::of(|side| {
                let c = self.counsel.get(side);
                let counsellor = match (c.appointed, &c.opener, &c.person) {
                    (false, ..) => None,
                    (true, None, _) => Some("engine".into()),
                    (true, Some(_), None) => Some("invited".into()),
                    (true, Some(_), Some(person)) => Some(person.name.clone()),
                };
                Counsel {
                    counsellor,
                    can_ask: self.can_ask(side),
                    asked: c.asked.is_some(),
                }
            })
        })
    }

    /// What is so at a time.
    pub fn now(&self, at: Duration, presence: &Presence, trouble: Option<&str>) -> Now {
        let stage = self.stage();
        let playing = self.game.as_ref().filter(|_| stage == Stage::Playing);
        let legal = playing.map(|game| {
            let position = game.position();
            let moves = position.legal_moves().into_iter();
            moves.map(|m| position.uci(m).to_string()).collect()
        });
        Now {
            seq: self.seq,
            stage,
            ply: self.played.len() as u32,
            turn: self.turn().map(Into::into),
            legal: legal.unwrap_or_default(),
            can_accept: playing.is_some_and(|g| g.position().can_accept()),
            draw_offer: playing.and_then(|g| g.draw_offer()).map(Into::into),
            takeback_offer: self.takeback.map(Into::into),
            rematch_offer: self.rematch_offer.map(Into::into),
            rematch: self.rematch.clone(),
            can_abort: self.can_abort(),
            clocks: self.clocks(at),
            result: self.outcome(),
            captured: self.game.as_ref().map(captured).unwrap_or_default(),
            players: Both::of(|side| self.player(side, presence)),
            customs: self.customs_now(at),
            counsel: self.counsel_now(),
            watchers: presence.watchers,
            engine_waits: None,
            trouble: trouble.map(Into::into),
        }
    }

    /// The whole game as it is told to someone, who is told the words that open seats.
    pub fn snapshot(
        &self,
        id: &str,
        who: Who,
        at: Duration,
        presence: &Presence,
        trouble: Option<&str>,
        word: impl Fn(&Opener) -> String,
    ) -> Snapshot {
        let (own, counsels) = match who {
            Who::Player(side) => (Some(side.into()), None),
            Who::Counsellor(side) => (None, Some(side.into())),
            Who::Watcher => (None, None),
        };
        let player = match who {
            Who::Player(side) => Some(side),
            _ => None,
        };
        Snapshot {
            id: id.into(),
            variant: self.variant_id().map(Into::into),
            name: self.name(),
            start: self.game.as_ref().map(|g| g.start().fen()),
            clock: self.spec.control.to_string(),
            takebacks: self.spec.takebacks
                || Side::ALL.into_iter().any(|side| self.level(side).is_some()),
            own,
            seat: self.opener(who).map(|opener| word(&opener)),
            counsels,
            check: self.game.as_ref().and_then(|g| check(g.start())),
            moves: self.played.clone(),
            advice: player.and_then(|side| self.counsel.get(side).advice.clone()),
            counsel_seat: player
                .and_then(|side| self.counsel_invitation(side))
                .map(|opener| word(&opener)),
            chosen: player.map(|side| self.chosen_by(side)).unwrap_or_default(),
            chat: match own {
                Some(_) => self.chat.clone(),
                None => Vec::new(),
            },
            now: self.now(at, presence, trouble),
        }
    }
}
