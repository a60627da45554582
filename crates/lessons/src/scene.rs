//! What an attempt is played on: a position with all rules of the game, or a practice board on which pieces of one side move by
//! their ways of moving alone, without royal pieces, turns or endings. Goals are not known here.

use crate::act::{self, Act};
use husun::variant::StateFlag;
use husun::{Game, Kind, Move, Position, Setup, Side, Square, Target, Variant};
use std::sync::Arc;

/// What moves are played on.
#[derive(Clone, Debug)]
pub(crate) enum Scene {
    Practice(Practice),
    Rules(Box<Rules>),
}

/// A board on which one side practises.
#[derive(Clone, Debug)]
pub(crate) struct Practice {
    pub variant: Arc<Variant>,
    pub setup: Setup,
    /// The kind that moves, with what it becomes; every kind if none.
    pub piece: Option<Kind>,
}

/// A position in which the whole of the rules holds.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub game: Game,
    pub learner: Side,
}

/// What a move did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub from: Square,
    pub to: Square,
    /// The square of what was captured.
    pub captured: Option<Square>,
    /// Who captured and who was captured.
    pub taken: Option<(Kind, Kind)>,
    pub piece: Kind,
    pub becomes: Kind,
    pub acts: Vec<Act>,
}

/// A move that can be made, in UCI form and as what makes it.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Practice(Square, Target, Option<Kind>),
    Rules(Move),
}

impl Scene {
    pub fn variant(&self) -> &Arc<Variant> {
        match self {
            Scene::Practice(p) => &p.variant,
            Scene::Rules(r) => r.game.variant(),
        }
    }

    pub fn learner(&self) -> Side {
        match self {
            Scene::Practice(p) => p.setup.turn,
            Scene::Rules(r) => r.learner,
        }
    }

    pub fn piece_on(&self, square: Square) -> Option<(Side, Kind)> {
        match self {
            Scene::Practice(p) => p.setup.piece_on(square),
            Scene::Rules(r) => r.game.position().piece_on(square),
        }
    }

    pub fn fen(&self) -> String {
        match self {
            Scene::Practice(p) => p.variant.arrangement_text(&p.setup),
            Scene::Rules(r) => r.game.position().fen(),
        }
    }

    /// The learner's moves with their texts, sorted by them.
    pub fn legal(&self) -> Vec<(String, Step)> {
        let mut all = match self {
            Scene::Practice(p) => p.legal(),
            Scene::Rules(r) => r.legal(),
        };
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Makes one of the [legal moves](Scene::legal).
    pub fn play(&mut self, step: &Step) -> Option<Done> {
        match (self, step) {
            (Scene::Practice(p), Step::Practice(from, target, becomes)) => {
                p.play(*from, target, *becomes)
            }
            (Scene::Rules(r), Step::Rules(m)) => r.play(*m),
            _ => None,
        }
    }
}

impl Practice {
    fn standing(&self) -> impl Fn(Square) -> Option<Side> {
        |square| self.setup.piece_on(square).map(|(side, _)| side)
    }

    /// Squares with the side's pieces.
    fn squares(&self, side: Side) -> Vec<(Square, Kind)> {
        let all = self.variant.frame().squares();
        let own = all.filter_map(|s| Some((s, self.setup.piece_on(s)?)));
        own.filter(|(_, (whose, _))| *whose == side)
            .map(|(s, (_, kind))| (s, kind))
            .collect()
    }

    /// Whether pieces of the kind move here.
    fn moves(&self, kind: Kind) -> bool {
        let becomes = |piece: Kind| {
            let traverse = self.variant.rules().traverse.as_ref();
            traverse.is_some_and(|t| t.piece == piece && t.becomes == kind)
        };
        self.piece.is_none_or(|p| p == kind || becomes(p))
    }

    /// Where a piece may go: a practice board has no change of kind but by a Traverse.
    pub fn targets(&self, from: Square, kind: Kind) -> Vec<Target> {
        let side = self.setup.turn;
        let mut all = self.variant.targets(side, kind, from, self.standing());
        let closed = changing(&self.variant, side, kind);
        all.retain(|t| !closed.contains(&t.to));
        all
    }

    fn legal(&self) -> Vec<(String, Step)> {
        let frame = self.variant.frame();
        let own = self.squares(self.setup.turn).into_iter();
        let own = own.filter(|(_, kind)| self.moves(*kind));
        let mut all = Vec::new();
        for (from, kind) in own {
            for target in self.targets(from, kind) {
                let becomes = target.becomes.first().copied();
                let mut text = format!("{}{}", frame.name(from), frame.name(target.to));
                if let Some(becomes) = becomes {
                    text.push(self.variant.piece(becomes).letter.to_ascii_lowercase());
                }
                all.push((text, Step::Practice(from, target, becomes)));
            }
        }
        all
    }

    fn play(&mut self, from: Square, target: &Target, becomes: Option<Kind>) -> Option<Done> {
        let (side, piece) = self.setup.piece_on(from)?;
        let captured = self.setup.piece_on(target.to).map(|(_, kind)| kind);
        let becomes = becomes.unwrap_or(piece);
        let acts = act::of_way(&self.variant, from, target);
        self.setup.board[from.index()] = None;
        self.setup.board[target.to.index()] = Some((side, becomes));
        Some(Done {
            from,
            to: target.to,
            captured: captured.map(|_| target.to),
            taken: captured.map(|kind| (piece, kind)),
            piece,
            becomes,
            acts,
        })
    }

    /// A capture of a moving piece that the other side could make: from where, and what.
    pub fn threat(&self) -> Option<Done> {
        let side = self.setup.turn.opponent();
        for (from, kind) in self.squares(side) {
            let targets = self.variant.targets(side, kind, from, self.standing());
            for target in targets {
                let taken = self.setup.piece_on(target.to);
                if let Some((_, taken)) = taken.filter(|(_, k)| self.moves(*k)) {
                    return Some(Done {
                        from,
                        to: target.to,
                        captured: Some(target.to),
                        taken: Some((kind, taken)),
                        piece: kind,
                        becomes: kind,
                        acts: Vec::new(),
                    });
                }
            }
        }
        None
    }
}

/// Squares on which a kind would have to change or leave the board: a practice board is without them.
pub(crate) fn changing(variant: &Variant, side: Side, kind: Kind) -> Vec<Square> {
    let rules = variant.rules();
    let mut all = Vec::new();
    if let Some(promotion) = rules
        .promotion
        .as_ref()
        .filter(|p| p.pieces.contains(&kind))
    {
        all.extend(&promotion.mandatory[side.index()]);
    }
    if variant.piece(kind).pawn {
        let both = rules.arrivals.iter().chain(&rules.prison);
        all.extend(both.flat_map(|a| &a.squares[side.index()]));
    }
    all
}

impl Rules {
    fn legal(&self) -> Vec<(String, Step)> {
        let position = self.game.position();
        if position.turn() != self.learner || self.game.outcome().is_some() {
            return Vec::new();
        }
        let moves = position.legal_moves().into_iter();
        moves
            .map(|m| (position.uci(m).to_string(), Step::Rules(m)))
            .collect()
    }

    pub fn play(&mut self, m: Move) -> Option<Done> {
        let before = self.game.position().clone();
        self.game.play(m).ok()?;
        let captured = before.captured(m);
        Some(Done {
            from: m.from(),
            to: m.to(),
            captured: captured.map(|(square, _, _)| square),
            taken: captured.map(|(_, _, kind)| (m.piece(), kind)),
            piece: m.piece(),
            becomes: m.placed(),
            acts: act::of_move(&before, m),
        })
    }

    /// The opponent does not move: the learner is on the move again, where that is a position of the game.
    pub fn pass(&mut self) -> bool {
        let position = self.game.position();
        let mut setup = position.setup();
        setup.turn = self.learner;
        setup.en_passant.clear();
        for (i, &(_, flag)) in position.variant().state_flags().iter().enumerate() {
            if flag == StateFlag::Offer {
                setup.state &= !(1 << i);
            }
        }
        match Position::from_setup(position.variant(), &setup) {
            Ok(next) => {
                self.game = Game::new(next);
                true
            }
            Err(_) => false,
        }
    }

    /// A move of the opponent that captures.
    pub fn threat(&self) -> Option<Move> {
        let position = self.game.position();
        let captures = |m: &Move| !m.is_whole_act() && position.is_capture(*m);
        let mut all: Vec<Move> = position
            .legal_moves()
            .into_iter()
            .filter(captures)
            .collect();
        all.sort();
        all.first().copied()
    }
}
