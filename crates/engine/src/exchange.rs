//! Static exchange evaluation: whether a series of captures on one square pays. Attackers are found anew after
//! every capture, so that hoppers that lose or gain their jump, and bent riders whose way opens, are counted
//! correctly. Pins are not. Prices are those of the game's values, whatever judges positions.

use crate::facts::Facts;
use crate::values::Values;
use husun::pos::Pos;
use husun::set::Set;
use husun::tables::Tables;
use husun::{Kind, Move, Side, Special, Square, Variant};
use std::sync::Arc;

/// The price of a royal piece while it may not be lost.
const PRICELESS: i32 = 20_000;

/// A kind with its price.
#[derive(Clone, Copy, Debug)]
struct Priced {
    kind: Kind,
    price: i32,
    royal: bool,
}

/// What captures win and lose in a game.
pub(crate) struct Exchanges<S: Set> {
    tables: Arc<Tables<S>>,
    /// By number of the kind.
    kinds: Vec<Priced>,
    /// The least first, royal ones last.
    by_price: Vec<Kind>,
    /// Those that are neither pawns nor royal.
    officers: Vec<Kind>,
}

impl<S: Set> Exchanges<S> {
    pub fn new(variant: &Variant, facts: &Facts<S>, values: &Values) -> Exchanges<S> {
        let priced = facts.kinds.iter().map(|k| Priced {
            kind: k.kind,
            price: values.piece(variant, k.kind).mg,
            royal: k.royal,
        });
        let kinds: Vec<Priced> = priced.collect();
        let mut by_price = kinds.clone();
        by_price.sort_by_key(|k| (k.royal, k.price));
        Exchanges {
            tables: facts.tables.clone(),
            by_price: by_price.iter().map(|k| k.kind).collect(),
            officers: facts.kinds_that(|k| k.officer()),
            kinds,
        }
    }

    /// Value of a piece in exchanges.
    #[inline(always)]
    pub fn price(&self, kind: Kind) -> i32 {
        self.kinds[kind.index()].price
    }

    /// Whether the kind is royal while a side has one royal piece.
    #[inline(always)]
    pub fn is_royal(&self, kind: Kind) -> bool {
        self.kinds[kind.index()].royal
    }

    /// Value in exchanges of a piece on the board: priceless while it is royal.
    #[inline(always)]
    fn price_of(&self, kind: Kind, royal_now: bool) -> i32 {
        if royal_now && self.is_royal(kind) {
            PRICELESS
        } else {
            self.price(kind)
        }
    }

    /// How much the side's pieces that are neither pawns nor royal are worth.
    pub fn officers_worth(&self, pos: &Pos<S>, side: Side) -> i32 {
        let own = pos.side(side);
        self.officers.iter().fold(0, |sum, &kind| {
            sum + self.price(kind) * (pos.kind(kind) & own).count() as i32
        })
    }

    /// What a move wins at once: the piece it captures and what it becomes.
    #[inline(always)]
    pub fn gain_of(&self, pos: &Pos<S>, m: Move) -> i32 {
        let taken = pos.captured(m).map_or(0, |(_, kind)| self.price(kind));
        if m.changes_kind() && !self.is_royal(m.piece()) {
            taken + self.price(m.placed()) - self.price(m.piece())
        } else {
            taken
        }
    }

    /// Whether the exchanges begun by a legal move win at least the threshold.
    pub fn see(&self, pos: &Pos<S>, m: Move, threshold: i32) -> bool {
        if !matches!(m.special(), Special::None | Special::EnPassant) {
            return threshold <= 0;
        }
        let mut swap = self.gain_of(pos, m) - threshold;
        if swap < 0 {
            return false;
        }
        let royal_now = Side::ALL.map(|s| self.tables.royal_square(pos, s).is_some());
        let us = pos.turn();
        swap = self.price_of(m.placed(), royal_now[us.index()]) - swap;
        if swap <= 0 {
            return true;
        }
        let to = m.to();
        let mut occupied = pos.occupied().without(S::bit(m.from()));
        if let Some((square, _)) = pos.captured(m) {
            occupied = occupied.without(S::bit(square));
        }
        occupied |= S::bit(to);
        let mut side = us;
        let mut result = true;
        loop {
            side = side.opponent();
            let attackers = self.tables.attackers(pos, to, occupied).without(S::bit(to));
            let ours = attackers & pos.side(side);
            let Some((square, kind)) = self.least(pos, ours) else {
                break;
            };
            result = !result;
            let price = self.price_of(kind, royal_now[side.index()]);
            if price >= PRICELESS {
                // It may capture only what is unprotected.
                let met = (attackers & pos.side(side.opponent())).any();
                return result != met;
            }
            swap = price - swap;
            if swap < i32::from(result) {
                break;
            }
            occupied = occupied.without(S::bit(square));
        }
        result
    }

    /// The least valuable of the pieces.
    #[inline(always)]
    fn least(&self, pos: &Pos<S>, pieces: S) -> Option<(Square, Kind)> {
        if pieces.is_empty() {
            return None;
        }
        self.by_price
            .iter()
            .find_map(|&kind| (pieces & pos.kind(kind)).first().map(|s| (s, kind)))
    }
}
