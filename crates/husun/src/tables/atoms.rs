//! Sorting the ways of moving by what they are instead of who has them, so that moves are counted over all
//! pieces that share a way at once.

use super::{Group, LeapAtom, LeapAttack, Mover, RiderAtom, Tables};
use crate::betza::Mode;
use crate::frame::Square;
use crate::set::{EXTRA_PLANES, Set};
use crate::side::Side;

impl<S: Set> Tables<S> {
    /// Fills [`super::Atoms`] from the movers, once all else is known.
    pub(super) fn sort_atoms(&mut self) {
        for kind in self.common.clone() {
            let promotes = self
                .zones
                .as_ref()
                .is_some_and(|z| z.kinds >> kind & 1 != 0);
            if promotes || self.overlaps(&self.movers[usize::from(kind)]) {
                self.atoms.whole.push(kind);
                continue;
            }
            let mover = self.movers[usize::from(kind)].clone();
            if mover.orthogonal {
                self.atoms.orthogonal.kinds.push(kind);
            }
            if mover.diagonal {
                self.atoms.diagonal.kinds.push(kind);
            }
            for (mode, tables) in mover.leaps_by_mode() {
                let leaps = &mut self.atoms.leaps;
                match leaps
                    .iter_mut()
                    .find(|l| l.mode == mode && l.tables == tables)
                {
                    Some(leap) => leap.kinds.kinds.push(kind),
                    None => leaps.push(LeapAtom {
                        mode,
                        tables,
                        kinds: Group::new(vec![kind]),
                    }),
                }
            }
            for &rider in &mover.riders {
                match self.atoms.riders.iter_mut().find(|r| r.rider == rider) {
                    Some(way) => way.kinds.kinds.push(kind),
                    None => self.atoms.riders.push(RiderAtom {
                        rider,
                        kinds: Group::new(vec![kind]),
                    }),
                }
            }
        }
    }

    /// Gives the most important groups of several kinds a plane of their own, and completes all.
    pub(super) fn choose_planes(&mut self) {
        let mut chosen: Vec<Vec<u8>> = Vec::new();
        let mut groups: Vec<&mut Group> = vec![&mut self.orthogonal, &mut self.diagonal];
        groups.push(&mut self.atoms.orthogonal);
        groups.push(&mut self.atoms.diagonal);
        let mut leaps: Vec<&mut Group> =
            self.atoms.leaps.iter_mut().map(|l| &mut l.kinds).collect();
        leaps.sort_by_key(|g| std::cmp::Reverse(g.kinds.len()));
        groups.extend(leaps);
        groups.push(&mut self.royals);
        groups.extend(self.leap_attacks.iter_mut().map(|a| &mut a.kinds));
        groups.extend(self.riders.iter_mut().map(|r| &mut r.kinds));
        groups.extend(self.atoms.riders.iter_mut().map(|r| &mut r.kinds));
        // A group without kinds needs a plane that stays empty: the last.
        let room = EXTRA_PLANES - usize::from(groups.iter().any(|g| g.kinds.is_empty()));
        for group in groups {
            group.kinds.sort_unstable();
            let kinds = std::mem::take(&mut group.kinds);
            *group = Group::new(kinds);
            if group.kinds.is_empty() {
                group.plane = (S::KINDS + EXTRA_PLANES - 1) as u8;
            }
            if group.kinds.len() < 2 {
                continue;
            }
            let known = chosen.iter().position(|kinds| *kinds == group.kinds);
            let plane = known.or_else(|| {
                (chosen.len() < room).then(|| {
                    chosen.push(group.kinds.clone());
                    chosen.len() - 1
                })
            });
            if let Some(plane) = plane {
                group.plane = (S::KINDS + plane) as u8;
                group.rest.clear();
            }
        }
        // Leapers without a plane of their own are asked for plane by plane.
        let attacks = std::mem::take(&mut self.leap_attacks);
        for attack in attacks {
            let parts = planes_of::<S>(&attack.kinds, &chosen);
            let part = |kinds| LeapAttack {
                kinds,
                ..attack.clone()
            };
            self.leap_attacks.extend(parts.into_iter().map(part));
        }
        let on = |kind: u8| {
            std::array::from_fn(|i| match chosen.get(i) {
                Some(kinds) if kinds.contains(&kind) => !S::EMPTY,
                _ => S::EMPTY,
            })
        };
        self.grouped = chosen.iter().flatten().fold(0, |all, kind| all | 1 << kind);
        self.extra = (0..self.movers.len() as u8).map(on).collect();
    }

    /// All groups of kinds.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        let atoms = &self.atoms;
        [
            &self.orthogonal,
            &self.diagonal,
            &self.royals,
            &atoms.orthogonal,
            &atoms.diagonal,
        ]
        .into_iter()
        .chain(self.leap_attacks.iter().map(|a| &a.kinds))
        .chain(self.riders.iter().map(|r| &r.kinds))
        .chain(atoms.leaps.iter().map(|l| &l.kinds))
        .chain(atoms.riders.iter().map(|r| &r.kinds))
    }

    /// From where squares around a royal piece are attacked, for every group of leapers.
    pub(super) fn look_around_royals(&mut self) {
        let royals: Vec<&Mover> = self
            .royals
            .kinds
            .iter()
            .map(|&k| &self.movers[usize::from(k)])
            .collect();
        self.royals_leap = royals
            .iter()
            .all(|m| !m.orthogonal && !m.diagonal && m.riders.is_empty());
        let leaps: Vec<_> = royals.iter().flat_map(|m| m.leaps_by_mode()).collect();
        if let [first, rest @ ..] = &leaps[..] {
            self.royal_leaps = first.1;
            self.royals_alike = self.royals_leap
                && first.0 == Mode::Both
                && rest.iter().all(|l| l == first)
                && leaps.len() == royals.len();
        }
        let around = |square: Square| {
            let tables = royals
                .iter()
                .flat_map(|m| m.leaps_by_mode())
                .flat_map(|l| l.1);
            let steps = tables.fold(S::EMPTY, |all, table| all | self.leap(table, square));
            let castlings = self.castlings.iter().flatten();
            castlings
                .filter(|r| r.path.from == square)
                .fold(steps, |all, r| all | r.over)
        };
        let near = |table: u16| {
            let squares = self.board.iter();
            squares
                .map(|royal| {
                    let from = around(royal).iter().map(|s| self.leap(table, s));
                    from.fold(S::EMPTY, |all, set| all | set)
                })
                .collect()
        };
        let all: Vec<[Vec<S>; 2]> = self.leap_attacks.iter().map(|a| a.from.map(near)).collect();
        for (attack, mut near) in self.leap_attacks.iter_mut().zip(all) {
            for (side, near) in near.iter_mut().enumerate() {
                for (square, set) in near.iter_mut().enumerate() {
                    *set |= self.leaps[usize::from(attack.from[side]) + square];
                    self.spots[square].near[side] |= *set;
                }
            }
            attack.near = near;
        }
    }

    /// Whether two ways of a kind lead to the same square in the same mode.
    fn overlaps(&self, mover: &Mover) -> bool {
        self.board.iter().any(|from| {
            Side::ALL.iter().any(|&side| {
                let ways = self.ways(mover, side, from);
                ways.iter().enumerate().any(|(i, &(mode, set))| {
                    ways[..i].iter().any(|&(other, before)| {
                        let both = (mode.moves() && other.moves())
                            || (mode.captures() && other.captures());
                        both && (set & before).any()
                    })
                })
            })
        })
    }

    /// Where each way of a kind could ever lead.
    fn ways(&self, mover: &Mover, side: Side, from: Square) -> Vec<(Mode, S)> {
        let mut ways = Vec::new();
        if mover.orthogonal {
            ways.push((Mode::Both, self.spots[usize::from(from)].orthogonal));
        }
        if mover.diagonal {
            ways.push((Mode::Both, self.spots[usize::from(from)].diagonal));
        }
        for (mode, tables) in mover.leaps_by_mode() {
            ways.push((mode, self.leap(tables[side.index()], from)));
        }
        for &number in &mover.riders {
            let rider = &self.riders[usize::from(number)];
            ways.push((rider.mode, rider.destinations(side, from)));
        }
        ways
    }
}

/// The group in as few parts as there are planes for, chosen for several kinds or of a kind.
fn planes_of<S: Set>(group: &Group, chosen: &[Vec<u8>]) -> Vec<Group> {
    if group.rest.is_empty() {
        return vec![group.clone()];
    }
    let mut left = group.kinds.clone();
    let mut parts = Vec::new();
    for (i, kinds) in chosen.iter().enumerate() {
        if kinds.iter().all(|k| left.contains(k)) {
            left.retain(|k| !kinds.contains(k));
            parts.push(Group {
                plane: (S::KINDS + i) as u8,
                rest: Vec::new(),
                kinds: kinds.clone(),
            });
        }
    }
    parts.extend(left.into_iter().map(|kind| Group::new(vec![kind])));
    parts
}

impl Mover {
    fn leaps_by_mode(&self) -> impl Iterator<Item = (Mode, [u16; 2])> + use<> {
        let all = [
            (Mode::Both, self.leaps),
            (Mode::MoveOnly, self.quiet),
            (Mode::CaptureOnly, self.take),
        ];
        all.into_iter()
            .filter_map(|(mode, [white, black])| Some((mode, [white?, black?])))
    }
}
