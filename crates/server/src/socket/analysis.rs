//! Analysis for one socket: one question at a time, lines told as they are found.

use super::outbox::Outbox;
use crate::engines::{Asked, Job, Purpose, Report, ThoughtLine};
use crate::refusal::{Reason, Refused, refused};
use crate::state::App;
use crate::wire::{AnalyseQuestion, AnalysisLine, ServerMessage};
use crate::work::Weight;
use engine::Level;
use husun::{Game, Position, Side};
use play::Games;
use std::net::IpAddr;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Longest thought about one position.
const LONGEST: Duration = Duration::from_secs(20);
/// Lines at most.
const LINES: u8 = 5;

/// The analysis of one socket. It ends when this is dropped.
pub struct Analysis {
    asker: String,
    address: IpAddr,
    under_way: Option<JoinHandle<()>>,
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Analysis {
    /// Nothing asked yet.
    pub fn new(socket: u64, address: IpAddr) -> Analysis {
        Analysis {
            asker: format!("socket {socket}"),
            address,
            under_way: None,
        }
    }

    /// Ends what is under way.
    pub fn stop(&mut self) {
        if let Some(under_way) = self.under_way.take() {
            under_way.abort();
        }
    }

    /// Asks about a position; what was asked before ends.
    pub async fn ask(
        &mut self,
        app: &App,
        question: AnalyseQuestion,
        outbox: &Outbox,
    ) -> Result<(), Refused> {
        self.stop();
        let wanted = question.lines.unwrap_or(1);
        if !(1..=LINES).contains(&wanted) {
            let message = format!("{wanted} lines, expected 1 to {LINES}");
            return Err(refused(Reason::Lines, message));
        }
        let positions = 1 + u32::try_from(question.moves.len()).unwrap_or(u32::MAX);
        if !app.guard.positions(self.address, positions) {
            let message = "too many positions from your address; wait a little";
            return Err(refused(Reason::Rate, message));
        }
        let services = app.directory.services().clone();
        let (n, asker) = (question.n, self.asker.clone());
        let play = move || {
            let AnalyseQuestion {
                variant,
                fen,
                moves,
                ..
            } = &question;
            let job = |game: &Game| {
                (
                    job(&services.games, game, asker, wanted),
                    game.position().turn(),
                )
            };
            services.lines.with(variant, fen.as_deref(), moves, job)
        };
        let (job, turn) = app.directory.work().run(Weight::Light, play).await??;
        let asked = app.directory.services().engines.ask(job);
        let asked = asked.map_err(|busy| refused(Reason::Busy, busy.to_string()))?;
        self.under_way = Some(tokio::spawn(tell(asked, n, turn, outbox.clone())));
        Ok(())
    }
}

fn job(games: &Games, game: &Game, asker: String, lines: u8) -> Job {
    let position = game.position();
    let history = (0..game.moves().len()).filter_map(|ply| game.position_at(ply));
    let variant = games.name(game.variant());
    Job {
        asker,
        purpose: Purpose::Analysis,
        definition: games.hash(&variant).unwrap_or_default(),
        variant,
        fen: position.fen(),
        key: position.key(),
        history: history.map(Position::key).collect(),
        level: Level::FULL.number(),
        clock: None,
        most: LONGEST,
        nodes: None,
        lines: usize::from(lines).min(position.legal_moves().len().max(1)),
        seed: 0,
    }
}

/// Tells the lines as they come, and the last ones once more as the end.
async fn tell(mut asked: Asked, n: u32, turn: Side, outbox: Outbox) {
    let (mut depth, mut nodes, mut lines) = (0, 0, Vec::new());
    loop {
        let done = match asked.next().await {
            Some(Report::Lines {
                depth: to,
                nodes: of,
                lines: found,
            }) => {
                let found = found.into_iter().map(|line| from_white(turn, line));
                (depth, nodes, lines) = (to, of, found.collect::<Vec<_>>());
                false
            }
            Some(Report::Done(_)) | None => true,
        };
        outbox.tell(&ServerMessage::Analysis {
            n,
            depth,
            nodes,
            lines: lines.clone(),
            done,
        });
        if done {
            return;
        }
    }
}

/// A line with its score from White's side.
fn from_white(turn: Side, line: ThoughtLine) -> AnalysisLine {
    let (sign, expect) = match turn {
        Side::White => (1, line.expect),
        Side::Black => (-1, 1.0 - line.expect),
    };
    AnalysisLine {
        cp: line.cp.map(|cp| sign * cp),
        mate: line.mate.map(|n| sign * n),
        expect,
        uci: line.uci,
        san: line.san,
    }
}
