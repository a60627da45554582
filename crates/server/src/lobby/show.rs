//! What waits in the lobby, as people see it.

use super::Lobby;
use super::state::Waiting;
use super::wishes::RATINGS;
use crate::wire;
use play::Games;
use play::lobby::Wanted;
use play::rating::Speed;

/// What is wanted, as people see it.
pub fn game_shown(games: &Games, wanted: &Wanted) -> wire::WantedGame {
    match wanted {
        Wanted::Family(name) => wire::WantedGame {
            variant: None,
            family: Some(name.clone()),
            name: name.clone(),
        },
        Wanted::Variant(stored) => {
            let shown = games.shown(stored);
            let known = games.find(&shown);
            wire::WantedGame {
                name: known.map_or_else(|_| shown.clone(), |v| v.name().into()),
                variant: Some(shown),
                family: None,
            }
        }
    }
}

impl Lobby {
    /// What is wanted, as people see it.
    pub(super) fn game_shown(&self, wanted: &Wanted) -> wire::WantedGame {
        game_shown(self.inner.directory.variants(), wanted)
    }

    pub(super) fn shown(&self, seek: &Waiting) -> wire::Seek {
        let wish = &seek.wish;
        let games = self.inner.directory.variants();
        let rating = match (&wish.games[..], &wish.clocks[..]) {
            ([game], [clock]) if seek.person.account => {
                Some(seek.strength.of(game, Speed::of(clock), games))
            }
            _ => None,
        };
        let bound = |n: usize| wish.range.map(|range| range[n]);
        wire::Seek {
            id: seek.id.clone(),
            name: seek.person.name.clone(),
            account: seek.person.account,
            bot: seek.person.bot,
            rating,
            games: wish.games.iter().map(|w| self.game_shown(w)).collect(),
            clocks: wish.clocks.iter().map(ToString::to_string).collect(),
            rated: wish.rated,
            side: wish.side.map(Into::into),
            min_rating: bound(0).filter(|least| *least > RATINGS[0]),
            max_rating: bound(1).filter(|most| *most < RATINGS[1]),
            opponents: wish.opponents.into(),
            made_ms: seek.made_ms,
        }
    }
}
