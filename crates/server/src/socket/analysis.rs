//! Analysis for one socket: one question at a time, lines told as they are found.

use crate::brains::{Purpose, Question};
use crate::refusal::refusal;
use crate::state::App;
use crate::task::Outbox;
use crate::wire::{AnalyseQuestion, AnalysisLine, Refusal, ServerMessage};
use crate::work::Weight;
use engine::{Info, Level, Limits, Score, Wdl};
use husun::{Move, Position, Side};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest thought about one position.
const LONGEST: Duration = Duration::from_secs(20);
/// Lines are told at most so often.
const PAUSE: Duration = Duration::from_millis(100);
/// Lines at most.
const LINES: u8 = 5;
/// Moves shown of a line.
const SHOWN: usize = 24;

/// The analysis of one socket.
pub struct Analysis {
    owner: String,
    address: IpAddr,
    stop: Arc<AtomicBool>,
}

/// What has been found so far.
struct Found {
    n: u32,
    position: Position,
    lines: Vec<AnalysisLine>,
    depth: u32,
    nodes: u64,
    told: Instant,
    outbox: Outbox,
    stop: Arc<AtomicBool>,
}

impl Analysis {
    /// Nothing asked yet.
    pub fn new(socket: u64, address: IpAddr) -> Analysis {
        Analysis {
            owner: format!("socket {socket}"),
            address,
            stop: Arc::default(),
        }
    }

    /// Ends what is under way.
    pub fn stop(&mut self) {
        self.stop.store(true, Relaxed);
    }

    /// Asks about a position; what was asked before ends.
    pub async fn ask(
        &mut self,
        app: &App,
        question: AnalyseQuestion,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        self.stop();
        self.stop = Arc::default();
        let wanted = question.lines.unwrap_or(1);
        if !(1..=LINES).contains(&wanted) {
            let message = format!("{wanted} lines, expected 1 to {LINES}");
            return Err(refusal("lines", message));
        }
        let positions = 1 + u32::try_from(question.moves.len()).unwrap_or(u32::MAX);
        if !app.guard.positions(self.address, positions) {
            let message = "too many positions from your address; wait a little";
            return Err(refusal("rate", message));
        }
        let services = app.directory.services().clone();
        let n = question.n;
        let play = move || {
            let AnalyseQuestion {
                variant,
                fen,
                moves,
                ..
            } = &question;
            services.lines.with(variant, fen.as_deref(), moves, |game| {
                let history = (0..game.moves().len()).filter_map(|ply| game.position_at(ply));
                let keys: Vec<u64> = history.map(Position::key).collect();
                (
                    game.position().clone(),
                    keys,
                    game.position().legal_moves().len(),
                )
            })
        };
        let played = app.directory.work().run(Weight::Light, play).await?;
        let (position, history, legal) = played?;
        let lines = usize::from(wanted).min(legal.max(1));
        self.think(app, n, position, history, lines, outbox)
    }

    fn think(
        &self,
        app: &App,
        n: u32,
        position: Position,
        history: Vec<u64>,
        lines: usize,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        let found = Arc::new(Mutex::new(Found {
            n,
            position: position.clone(),
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            told: Instant::now() - PAUSE,
            outbox: outbox.clone(),
            stop: self.stop.clone(),
        }));
        let (in_report, at_end) = (found.clone(), found);
        let asked = Question {
            owner: self.owner.clone(),
            purpose: Purpose::Analysis,
            history,
            position,
            level: Level::FULL,
            limits: Limits::movetime(LONGEST),
            lines,
            seed: 0,
            stop: self.stop.clone(),
            report: Box::new(move |info| {
                let mut found = in_report.lock().unwrap_or_else(PoisonError::into_inner);
                found.note(info);
                if info.line == lines && found.told.elapsed() >= PAUSE {
                    found.tell(false);
                }
            }),
            done: Box::new(move |_| {
                at_end
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .tell(true);
            }),
        };
        let asked = app.directory.services().brains.ask(asked);
        asked.map_err(|busy| refusal("busy", busy.to_string()))
    }
}

impl Found {
    fn note(&mut self, info: &Info) {
        let line = line(&self.position, info);
        match self.lines.get_mut(info.line - 1) {
            Some(place) => *place = line,
            None => self.lines.push(line),
        }
        (self.depth, self.nodes) = (info.depth, info.nodes);
    }

    fn tell(&mut self, done: bool) {
        self.told = Instant::now();
        // A question that was ended from without has no more to say.
        if done && self.stop.load(Relaxed) && self.lines.is_empty() {
            return;
        }
        self.outbox.tell(&ServerMessage::Analysis {
            n: self.n,
            depth: self.depth,
            nodes: self.nodes,
            lines: self.lines.clone(),
            done,
        });
    }
}

fn line(position: &Position, info: &Info) -> AnalysisLine {
    let sign = match position.turn() {
        Side::White => 1,
        Side::Black => -1,
    };
    let (cp, mate) = match info.score {
        Score::Cp(cp) => (Some(sign * cp), None),
        Score::Mate(n) => (None, Some(sign * n)),
    };
    let Wdl { win, draw, .. } = info.wdl;
    let share = (f64::from(win) + f64::from(draw) / 2.0) / 1000.0;
    let (uci, san) = texts(position, &info.pv);
    AnalysisLine {
        cp,
        mate,
        expect: match position.turn() {
            Side::White => share,
            Side::Black => 1.0 - share,
        },
        uci,
        san,
    }
}

fn texts(position: &Position, line: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = position.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &m in line.iter().take(SHOWN) {
        uci.push(position.uci(m).to_string());
        san.push(position.san(m).unwrap_or_default());
        position = position.play_unchecked(m);
    }
    (uci, san)
}
