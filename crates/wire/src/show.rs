//! A game as it is told to those who play and watch: from the values of `play` to the shapes of the wire.

use crate::{Choice, Clocks, Counsel, CustomsNow, CustomsQuestion, Now, Snapshot, Time};
use husun::clock::Remaining;
use husun::{Game, Side};
use play::customs::{Family, Method};
use play::table::{
    ChatLine, Counsels, Opener, Played, SILENCE, Stage, StoredCard, StoredResult, Table,
};
use play::{Both, Games, Who, check};
use std::time::Duration;

/// Who is there now, as the sockets know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presence {
    /// Players.
    pub online: Both<bool>,
    /// All others.
    pub watchers: u32,
    /// Since when players have been away, in the game's time.
    pub away: Both<Option<Duration>>,
}

/// What a game is told with besides its own state.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Time of the game.
    pub at: Duration,
    /// Who is there.
    pub presence: &'a Presence,
    /// What is out of order at the server.
    pub trouble: Option<&'a str>,
    /// Whether the clocks run: they stand still while the server's time does.
    pub running: bool,
}

impl From<Stage> for crate::Stage {
    fn from(stage: Stage) -> crate::Stage {
        match stage {
            Stage::Waiting => crate::Stage::Waiting,
            Stage::Customs => crate::Stage::Customs,
            Stage::Playing => crate::Stage::Playing,
            Stage::Over => crate::Stage::Over,
            Stage::Aborted => crate::Stage::Aborted,
        }
    }
}

impl From<Method> for crate::CustomsMethod {
    fn from(method: Method) -> crate::CustomsMethod {
        match method {
            Method::Die => crate::CustomsMethod::Die,
            Method::Turns => crate::CustomsMethod::Turns,
        }
    }
}

impl From<&Played> for crate::Played {
    fn from(played: &Played) -> crate::Played {
        crate::Played {
            uci: played.uci.clone(),
            san: played.san.clone(),
            fen: played.fen.clone(),
            check: played.check.clone(),
            spent_ms: played.spent_ms,
        }
    }
}

/// A line of the players' chat, without its text for one who does not want to read who wrote it.
pub fn chat_line(line: &ChatLine, muted: bool) -> crate::ChatLine {
    crate::ChatLine {
        side: line.side.into(),
        text: match muted {
            true => String::new(),
            false => line.text.clone(),
        },
        removed: line.removed,
        muted,
    }
}

/// Whether a player is one who does not want to read the other one.
pub fn mutes(table: &Table, who: Who, muted: &[String]) -> bool {
    let Who::Player(side) = who else { return false };
    let other = table.person(side.opponent());
    other.is_some_and(|other| muted.contains(&other.guest))
}

impl From<StoredResult> for crate::GameResult {
    fn from(result: StoredResult) -> crate::GameResult {
        crate::GameResult {
            winner: result.winner.map(Into::into),
            reason: result.reason,
            points: result.points.into(),
        }
    }
}

impl From<husun::Outcome> for crate::GameResult {
    fn from(outcome: husun::Outcome) -> crate::GameResult {
        StoredResult::from(outcome).into()
    }
}

impl From<&Family> for crate::Family {
    fn from(family: &Family) -> crate::Family {
        let defaults = family.questions.iter().map(|q| Choice {
            name: q.name.clone(),
            value: q.values.first().cloned().unwrap_or_default(),
        });
        let defaults: Vec<Choice> = defaults.collect();
        crate::Family {
            name: family.name.clone(),
            variants: family.variants.iter().map(|v| v.id().to_owned()).collect(),
            customs: crate::Customs {
                family: family.name.clone(),
                method: family.method.into(),
                choice: defaults.clone(),
                counsellor: family.has_counsellors(),
            },
            defaults,
        }
    }
}

/// Letters of captured pieces, by the side that lost them.
pub fn captured(game: &Game) -> crate::Both<String> {
    let captured = game.captured();
    crate::Both::of(|side| {
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

fn player(table: &Table, side: Side, moment: &Moment<'_>) -> crate::Player {
    let presence = moment.presence;
    let claimed = table.claimed_from(*presence.away.get(side));
    let level = table.level(side);
    crate::Player {
        name: table.player_name(side),
        account: table.person(side).is_some_and(|p| p.account),
        bot: table.person(side).is_some_and(|p| p.bot),
        level,
        seated: table.is_there(side),
        online: level.is_some() || *presence.online.get(side),
        vacation: table.on_vacation(side),
        claim_in_ms: claimed.map(|from| from.saturating_sub(moment.at).as_millis() as u64),
    }
}

fn clocks(table: &Table, moment: &Moment<'_>) -> Option<Clocks> {
    let clock = table.clock()?;
    let of = |side: Side| time(clock.remaining(side, moment.at));
    let running = clock.turn().filter(|_| !clock.is_paused());
    Some(Clocks {
        times: crate::Both {
            white: of(Side::White)?,
            black: of(Side::Black)?,
        },
        running: running.filter(|_| moment.running).map(Into::into),
        waiting: table.clock_waits(),
    })
}

fn customs_now(table: &Table, at: Duration) -> Option<CustomsNow> {
    let customs = table.customs()?;
    let settling = table.stage() == Stage::Customs;
    let questions = customs.questions().iter().map(|q| {
        // A choice by die is not told before both have chosen, so that neither is led by the other.
        let told = q.settled.is_some()
            || (q.chosen.white.is_some() && q.chosen.black.is_some())
            || customs.family().method == Method::Turns;
        let asked = match settling {
            true => customs.asked(&q.name),
            false => Vec::new(),
        };
        CustomsQuestion {
            name: q.name.clone(),
            values: q.values.clone(),
            asked: asked.into_iter().map(Into::into).collect(),
            chosen: match told {
                true => q.chosen.clone().into(),
                false => crate::Both::default(),
            },
            settled: q.settled.clone(),
        }
    });
    let silent = settling.then(|| {
        let end = customs.since() + SILENCE;
        end.saturating_sub(at).as_millis() as u64
    });
    Some(CustomsNow {
        family: customs.family().name.clone(),
        questions: questions.collect(),
        die: customs.die(),
        silent_in_ms: silent,
    })
}

fn chosen_by(table: &Table, side: Side) -> Vec<Choice> {
    let questions = table.customs().into_iter().flat_map(|c| c.questions());
    let chosen = questions.filter_map(|q| {
        Some(Choice {
            name: q.name.clone(),
            value: q.chosen.get(side).clone()?,
        })
    });
    chosen.collect()
}

fn counsel_now(table: &Table) -> Option<crate::Both<Counsel>> {
    table.has_counsellors().then(|| {
        crate::Both::of(|side| {
            let counsellor = table.counsellor(side);
            let who = counsellor.who().map(|who| match who {
                Counsels::Engine => "engine",
                Counsels::Invited => "invited",
                Counsels::Person(name) => name,
            });
            Counsel {
                counsellor: who.map(Into::into),
                can_ask: table.can_ask(side),
                asked: counsellor.was_asked(),
            }
        })
    })
}

/// What is so at a moment.
pub fn now(table: &Table, moment: &Moment<'_>) -> Now {
    let playing = table.game_being_played();
    let legal = playing.map(|game| {
        let position = game.position();
        let moves = position.legal_moves().into_iter();
        moves.map(|m| position.uci(m).to_string()).collect()
    });
    Now {
        seq: table.seq(),
        stage: table.stage().into(),
        ply: table.ply() as u32,
        turn: table.turn().map(Into::into),
        legal: legal.unwrap_or_default(),
        can_accept: playing.is_some_and(|g| g.position().can_accept()),
        draw_offer: table.draw_offer().map(Into::into),
        takeback_offer: table.takeback_wish().map(Into::into),
        rematch_offer: table.rematch_offer().map(Into::into),
        rematch: table.rematch().map(Into::into),
        first_move_ms: table.missing_from().map(|at| {
            let left = at.saturating_sub(moment.at);
            u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
        }),
        can_abort: table.can_abort(),
        clocks: clocks(table, moment),
        result: table.outcome().map(Into::into),
        captured: table.game().map(captured).unwrap_or_default(),
        players: crate::Both::of(|side| player(table, side, moment)),
        customs: customs_now(table, moment.at),
        counsel: counsel_now(table),
        watchers: moment.presence.watchers,
        engine_waits: None,
        trouble: moment.trouble.map(Into::into),
    }
}

/// The moves so far, from a half-move on.
pub fn played(table: &Table, from: usize) -> Vec<crate::Played> {
    let played = table.played().get(from..).unwrap_or_default();
    played.iter().map(Into::into).collect()
}

/// The whole game as it is told to someone, who is told the words that open seats, and not what the other player says if
/// that one is muted.
pub fn snapshot(
    id: &str,
    table: &Table,
    (who, mutes): (Who, bool),
    moment: &Moment<'_>,
    word: impl Fn(&Opener) -> String,
) -> Snapshot {
    let (player, counsels) = match who {
        Who::Player(side) => (Some(side), None),
        Who::Counsellor(side) => (None, Some(side)),
        Who::Watcher => (None, None),
    };
    let start = table.game().map(Game::start);
    let advice = player.and_then(|side| table.counsellor(side).advice());
    let invitation = player.and_then(|side| table.counsel_invitation(side));
    let chat = match player {
        Some(_) => table.chat(),
        None => &[],
    };
    Snapshot {
        id: id.into(),
        variant: table.variant_name().map(|name| table.games().shown(&name)),
        name: table.name().into(),
        start: start.map(|p| p.fen()),
        clock: table.spec().control.to_string(),
        takebacks: table.spec().takes_back(),
        rated: table.spec().rated,
        tournament: table.spec().tournament.as_ref().map(|t| t.id.clone()),
        public: table.is_public(),
        own: player.map(Into::into),
        seat: table.opener(who).map(&word),
        counsels: counsels.map(Into::into),
        check: start.and_then(check),
        moves: played(table, 0),
        advice: advice.map(Into::into),
        counsel_seat: invitation.map(&word),
        chosen: player
            .map(|side| chosen_by(table, side))
            .unwrap_or_default(),
        plan: player
            .map(|side| plan(table, side))
            .filter(|plan| !plan.lines.is_empty()),
        chat: chat
            .iter()
            .map(|line| chat_line(line, mutes && player != Some(line.side)))
            .collect(),
        now: now(table, moment),
    }
}

/// What a player has prepared to answer.
pub fn plan(table: &Table, side: Side) -> crate::Plan {
    let plan = table.plan(side).cloned().unwrap_or_default();
    crate::Plan {
        ply: plan.ply as u32,
        lines: plan.lines,
    }
}

/// A game of a list, as it is told to a guest if it is in the list of own games.
pub fn card(
    games: &Games,
    card: &StoredCard,
    id: &str,
    guest: Option<&str>,
    presence: &Presence,
) -> crate::GameCard {
    let own = guest.and_then(|guest| card.side_of(guest));
    crate::GameCard {
        id: id.into(),
        variant: card.variant.as_deref().map(|name| games.shown(name)),
        name: card.name.clone(),
        fen: card.fen.clone(),
        last: card.last.clone(),
        players: crate::Both::of(|side| {
            let player = card.players.get(side);
            crate::Player {
                name: player.name.clone(),
                account: player.account,
                bot: player.bot,
                level: player.level,
                seated: player.seated,
                online: player.level.is_some() || *presence.online.get(side),
                vacation: false,
                claim_in_ms: None,
            }
        }),
        clock: card.clock.clone(),
        ply: card.ply,
        stage: card.stage.into(),
        result: card.result.clone().map(Into::into),
        own: own.map(Into::into),
        to_move: own.is_some() && card.turn == own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use husun::clock::TimeControl;
    use play::table::{Chance, Person, SeatSpec, Spec};
    use play::{Circumstances, Deed};
    use std::sync::Arc;

    struct Three;

    impl Chance for Three {
        fn die(&mut self) -> u8 {
            3
        }

        fn number(&mut self) -> String {
            String::new()
        }
    }

    /// A choice that is settled by a die is hidden until both have chosen, so that neither is led by the other.
    #[test]
    fn a_choice_is_hidden_until_both_have_chosen() -> Result<(), Box<dyn std::error::Error>> {
        let mut table = Table::new(
            Spec {
                variant: None,
                family: Some("Citadel".into()),
                fen: None,
                control: TimeControl::None,
                takebacks: false,
                public: None,
                clocks_wait: true,
                tournament: None,
                rated: false,
                engine_resigns: false,
                seats: Both::of(|_| SeatSpec::default()),
                seed: 1,
            },
            Arc::default(),
        )?;
        for side in Side::ALL {
            let person = Person {
                guest: format!("{side:?}"),
                name: "Ann".into(),
                ..Person::default()
            };
            for event in table.joined(Who::Player(side), person, "number".into()) {
                table.apply(&event, Duration::ZERO)?;
            }
        }
        for (side, value, told) in [(Side::White, "8", None), (Side::Black, "9", Some("8"))] {
            let deed = Deed::Choose {
                name: "ranks".into(),
                value: value.into(),
            };
            let none = Duration::ZERO;
            for event in table.decide(
                Who::Player(side),
                &deed,
                &Circumstances::at(none),
                &mut Three,
            )? {
                table.apply(&event, none)?;
            }
            let moment = Moment {
                at: none,
                presence: &Presence::default(),
                trouble: None,
                running: true,
            };
            let customs = now(&table, &moment).customs.ok_or("no customs")?;
            assert_eq!(customs.questions[0].chosen.white.as_deref(), told);
            let white = snapshot(
                "id",
                &table,
                (Who::Player(Side::White), false),
                &moment,
                |_| "".into(),
            );
            assert_eq!(
                white.chosen.len(),
                1,
                "the own choice is told to the one who made it"
            );
        }
        Ok(())
    }
}
