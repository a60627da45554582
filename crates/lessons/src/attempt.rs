//! An attempt at a task: takes moves, lets the opponent answer, and says how it goes. A pure value; nothing is kept elsewhere.

use crate::act::Act;
use crate::scene::{Done, Scene, Step};
use crate::task::{Opponent, Task};
use husun::{Kind, Move, Reason, Side, Square, Variant};

/// What stands for accepting mate or stalemate among the moves.
pub const ACCEPT: &str = "accept";

/// How an attempt goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It goes on.
    GoingOn,
    /// The goal is reached.
    Done,
    /// It cannot be reached any more; why, in words.
    Failed(String),
}

/// Why a move is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The attempt has ended.
    #[error("the attempt is over: start the task again")]
    Over,
    /// Not one of the moves.
    #[error("`{found}` cannot be played here: expected one of {number} moves, such as {example}")]
    Illegal {
        /// What was read.
        found: String,
        /// How many there are.
        number: usize,
        /// One of them.
        example: String,
    },
}

/// An attempt at a task.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    task: &'a Task,
    scene: Scene,
    stars: Vec<Square>,
    /// Where the pieces stand that are still to be captured.
    marked: Vec<Square>,
    did: bool,
    moves: Vec<String>,
    last: Option<String>,
    reply: Option<String>,
    /// Position text after the learner's last move.
    moved: Option<String>,
    progress: Progress,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(task: &'a Task) -> Attempt<'a> {
        Attempt {
            task,
            scene: task.scene.clone(),
            stars: task.goal.stars.clone(),
            marked: task.goal.capture.clone(),
            did: task.goal.deed.is_none(),
            moves: Vec::new(),
            last: None,
            reply: None,
            moved: None,
            progress: Progress::GoingOn,
        }
    }

    /// How it goes.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The learner's moves so far.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The last move on the board, either side's, in UCI form.
    pub fn last(&self) -> Option<&str> {
        self.reply.as_deref().or(self.last.as_deref())
    }

    /// The opponent's answer to the last move, if it moved.
    pub fn reply(&self) -> Option<&str> {
        self.reply.as_deref()
    }

    /// The board after the learner's last move and that move, where the opponent has answered it: so that it can be seen
    /// before the answer.
    pub fn before_reply(&self) -> Option<(&str, &str)> {
        self.reply.as_ref()?;
        Some((self.moved.as_deref()?, self.last.as_deref()?))
    }

    /// Position text; of a practice board one that need not be a position of the game.
    pub fn fen(&self) -> String {
        self.scene.fen()
    }

    /// Stars that are not reached yet.
    pub fn stars(&self) -> &[Square] {
        &self.stars
    }

    /// Where the pieces stand that are still to be captured.
    pub fn marked(&self) -> &[Square] {
        &self.marked
    }

    /// Square of the learner's royal piece, if it is in check.
    pub fn check(&self) -> Option<Square> {
        let Scene::Rules(rules) = &self.scene else {
            return None;
        };
        let position = rules.game.position();
        let royal = position.royal_square(position.turn());
        royal.filter(|_| position.in_check())
    }

    /// Whether mate or stalemate may be accepted.
    pub fn can_accept(&self) -> bool {
        let going = self.progress == Progress::GoingOn;
        going && matches!(&self.scene, Scene::Rules(r) if r.game.position().can_accept())
    }

    /// The moves that can be made now, in UCI form; [`ACCEPT`] is not among them.
    pub fn legal(&self) -> Vec<String> {
        match self.progress {
            Progress::GoingOn => self
                .scene
                .legal()
                .into_iter()
                .map(|(text, _)| text)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Makes a move, and lets the opponent answer. The letter of what stands there afterwards may be left out where only one
    /// move is possible.
    pub fn play(&mut self, text: &str) -> Result<&Progress, MoveError> {
        if self.progress != Progress::GoingOn {
            return Err(MoveError::Over);
        }
        if text == ACCEPT && self.can_accept() {
            return Ok(self.accept());
        }
        let (text, step) = self.find(text)?;
        self.reply = None;
        self.last = Some(text.clone());
        self.moves.push(text);
        // A legal move is always taken.
        let Some(done) = self.scene.play(&step) else {
            return Err(MoveError::Over);
        };
        self.moved = Some(self.scene.fen());
        self.note(&done);
        self.progress = self.judge();
        Ok(&self.progress)
    }

    fn find(&self, text: &str) -> Result<(String, Step), MoveError> {
        let legal = self.scene.legal();
        let exact = legal.iter().find(|(known, _)| known == text);
        if let Some(found) = exact {
            return Ok(found.clone());
        }
        let without =
            |known: &str| known.trim_end_matches(|c: char| c.is_ascii_lowercase()) == text;
        let mut alike = legal.iter().filter(|(known, _)| without(known));
        match (alike.next(), alike.next()) {
            (Some(only), None) => Ok(only.clone()),
            _ => Err(MoveError::Illegal {
                found: text.chars().take(20).collect(),
                number: legal.len(),
                example: legal.first().map_or_else(String::new, |l| l.0.clone()),
            }),
        }
    }

    fn accept(&mut self) -> &Progress {
        self.moves.push(ACCEPT.into());
        let wanted = self.task.goal.deed.as_ref();
        self.progress = match wanted.is_some_and(|d| d.act == Act::Accept) {
            true => Progress::Done,
            false => Progress::Failed(
                "That gives up the game, but there is something better to play.".into(),
            ),
        };
        &self.progress
    }

    /// Enters what the learner's move did.
    fn note(&mut self, done: &Done) {
        self.stars.retain(|s| *s != done.to);
        if let Some(captured) = done.captured {
            self.marked.retain(|s| *s != captured);
        }
        let goal = &self.task.goal;
        if let Some(deed) = &goal.deed {
            self.did |= done.acts.contains(&deed.act)
                && deed.piece.is_none_or(|k| k == done.piece)
                && deed.becomes.is_none_or(|k| k == done.becomes)
                && (deed.to.is_empty() || deed.to.contains(&done.to));
        }
    }

    /// After the learner's move: whether it is done, has failed, or goes on after the opponent's answer.
    fn judge(&mut self) -> Progress {
        let task = self.task;
        if let Opponent::Proved { replies, win } = &task.opponent {
            return self.follow(replies, *win);
        }
        let careful = self.task.opponent == Opponent::Captures;
        if careful && let Some(failed) = self.captured() {
            return failed;
        }
        if self.is_reached() {
            return Progress::Done;
        }
        if let Some(failed) = self.ended() {
            return failed;
        }
        let last = self.moves.len() >= self.task.within;
        // Some endings hold only after the opponent's move.
        if last && self.task.goal.ending.is_none() {
            return Progress::Failed(self.too_long());
        }
        let answered = self.answer();
        if !answered {
            return Progress::Failed("The opponent has no move left.".into());
        }
        if self.is_reached() {
            return Progress::Done;
        }
        if let Some(failed) = self.ended() {
            return failed;
        }
        if last {
            return Progress::Failed(self.too_long());
        }
        match self.scene.legal().is_empty() {
            true => Progress::Failed("You have no move left.".into()),
            false => Progress::GoingOn,
        }
    }

    /// After a move where only one line is a solution: whether it is still followed, and the opponent's answer in it.
    fn follow(&mut self, replies: &[String], win: bool) -> Progress {
        let Scene::Rules(rules) = &mut self.scene else {
            return Progress::GoingOn;
        };
        if let Some(outcome) = rules.game.outcome() {
            let good = outcome.winner == Some(rules.learner) || (outcome.winner.is_none() && !win);
            let ended = if good { None } else { self.ended() };
            return ended.unwrap_or(Progress::Done);
        }
        let number = self.moves.len();
        let right = self.task.solution.get(number - 1) == self.moves.last();
        let reply = replies.get(number - 1).filter(|_| right);
        let reply = reply.and_then(|text| rules.game.position().parse_uci(text).ok());
        match reply {
            Some(m) if self.reply_with(m) => Progress::GoingOn,
            _ => Progress::Failed(self.not_forced(win)),
        }
    }

    /// What is said of a move that is not the solution.
    fn not_forced(&self, win: bool) -> String {
        match (win, self.task.moves()) {
            (false, _) => "That does not save the game: another move does.".into(),
            (true, 1) => "That does not win at once: another move does.".into(),
            (true, n) => format!(
                "That does not win by force in {n} moves, if it wins at all: another move does."
            ),
        }
    }

    fn too_long(&self) -> String {
        match (self.task.within, self.task.moves()) {
            (1, _) => "That is not the move that was asked for.".into(),
            (_, 1) => "That took too long: one move is enough.".into(),
            (_, moves) => format!("That took too long: {moves} moves are enough."),
        }
    }

    fn is_reached(&self) -> bool {
        let goal = &self.task.goal;
        self.stars.is_empty()
            && self.marked.is_empty()
            && self.did
            && goal.ending.is_none_or(|wanted| self.has_ended(wanted))
            && (!goal.check || self.gives_check())
    }

    fn gives_check(&self) -> bool {
        let Scene::Rules(rules) = &self.scene else {
            return false;
        };
        let position = rules.game.position();
        position.turn() != rules.learner && position.in_check()
    }

    fn has_ended(&self, wanted: Reason) -> bool {
        let Scene::Rules(rules) = &self.scene else {
            return false;
        };
        let outcome = rules.game.outcome();
        outcome.is_some_and(|o| o.reason == wanted && o.winner.is_none_or(|w| w == rules.learner))
    }

    /// A failure, if the game is over.
    fn ended(&self) -> Option<Progress> {
        let Scene::Rules(rules) = &self.scene else {
            return None;
        };
        let outcome = rules.game.outcome()?;
        let how = match outcome.winner {
            Some(side) if side == rules.learner => "you have won",
            Some(_) => "you have lost",
            None => "it is a draw",
        };
        let reason = outcome.reason.name();
        Some(Progress::Failed(format!(
            "The game ended by {reason}: {how}."
        )))
    }

    /// A failure, if the opponent can capture.
    fn captured(&mut self) -> Option<Progress> {
        let (from, kinds) = match &mut self.scene {
            Scene::Practice(practice) => {
                let done = practice.threat()?;
                let frame = practice.variant.frame();
                self.reply = Some(format!("{}{}", frame.name(done.from), frame.name(done.to)));
                let side = practice.setup.turn.opponent();
                practice.setup.board[done.from.index()] = None;
                practice.setup.board[done.to.index()] = Some((side, done.piece));
                (done.from, done.taken?)
            }
            Scene::Rules(rules) => {
                let m = rules.threat()?;
                self.reply = Some(rules.game.position().uci(m).to_string());
                let done = rules.play(m)?;
                (done.from, done.taken?)
            }
        };
        let variant = self.task.variant();
        let spoken = |kind: Kind| variant.spoken_name(kind);
        let text = format!(
            "The {} on {} can capture your {} there.",
            spoken(kinds.0),
            variant.frame().name(from),
            spoken(kinds.1),
        );
        Some(Progress::Failed(text))
    }

    /// Lets the opponent answer; false where it could not.
    fn answer(&mut self) -> bool {
        if matches!(self.scene, Scene::Practice(_)) {
            return true;
        }
        let scripted = match &self.task.opponent {
            Opponent::Plays(all) => all.get(self.moves.len() - 1).cloned(),
            _ => None,
        };
        let defends = self.task.opponent == Opponent::Defends;
        let Scene::Rules(rules) = &mut self.scene else {
            return true;
        };
        let m = match scripted {
            Some(text) => rules.game.position().parse_uci(&text).ok(),
            None => None,
        };
        if m.is_none() && !defends && rules.pass() {
            return true;
        }
        match m.or_else(|| self.defence()) {
            Some(m) => self.reply_with(m),
            None => false,
        }
    }

    fn reply_with(&mut self, m: Move) -> bool {
        let Scene::Rules(rules) = &mut self.scene else {
            return false;
        };
        self.reply = Some(rules.game.position().uci(m).to_string());
        let Some(done) = rules.play(m) else {
            return false;
        };
        // What is to be captured may walk on.
        for square in &mut self.marked {
            if *square == done.from {
                *square = done.to;
            }
        }
        true
    }

    /// The opponent's move after which the goal is furthest away, the first of equals.
    fn defence(&self) -> Option<Move> {
        let Scene::Rules(rules) = &self.scene else {
            return None;
        };
        let mut all = rules.game.position().legal_moves();
        all.sort();
        let left = self.task.moves().saturating_sub(self.moves.len());
        let far = |m: &Move| {
            let mut after = self.clone();
            if !after.reply_with(*m) {
                return usize::MAX;
            }
            match after.is_near(left) {
                Some(moves) => moves,
                None => usize::MAX,
            }
        };
        let mut best: Option<(usize, Move)> = None;
        for m in all {
            let distance = far(&m);
            if best.is_none_or(|(most, _)| distance > most) {
                best = Some((distance, m));
            }
            if distance == usize::MAX {
                break;
            }
        }
        best.map(|(_, m)| m)
    }

    /// In how many moves of the learner the goal is reached against every answer, if in so few.
    fn is_near(&self, most: usize) -> Option<usize> {
        if self.is_reached() {
            return Some(0);
        }
        (1..=most).find(|&moves| self.forces(moves))
    }

    fn forces(&self, moves: usize) -> bool {
        let Scene::Rules(_) = &self.scene else {
            return false;
        };
        self.scene.legal().iter().any(|(text, step)| {
            let mut next = self.clone();
            let Some(done) = next.scene.play(step) else {
                return false;
            };
            next.moves.push(text.clone());
            next.note(&done);
            if next.is_reached() {
                return true;
            }
            moves > 1 && next.ended().is_none() && next.every_answer(moves - 1)
        })
    }

    fn every_answer(&self, moves: usize) -> bool {
        let Scene::Rules(rules) = &self.scene else {
            return false;
        };
        let all = rules.game.position().legal_moves();
        !all.is_empty()
            && all.into_iter().all(|m| {
                let mut after = self.clone();
                after.reply_with(m) && (after.is_reached() || after.forces(moves))
            })
    }

    /// The game.
    pub fn variant(&self) -> &Variant {
        self.scene.variant()
    }

    /// Who learns.
    pub fn side(&self) -> Side {
        self.scene.learner()
    }

    /// What tells one state of an attempt from another, the number of moves aside.
    pub(crate) fn state(&self) -> (String, Vec<Square>, Vec<Square>, bool) {
        let fen = self.scene.fen();
        // Counters do not matter for any goal.
        let kept = fen.rsplitn(3, ' ').last().unwrap_or_default().to_owned();
        (kept, self.stars.clone(), self.marked.clone(), self.did)
    }
}
