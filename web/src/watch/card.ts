// A game that is played as the card of a list, with the board as it is now.
import type { GameCard, RunningGame, WatchedBoard } from '../api/types';

/** The newer of two boards of a game. */
export function newer(one: WatchedBoard, other: WatchedBoard | undefined): WatchedBoard {
  return other && other.seq >= one.seq ? other : one;
}

function seated(player: RunningGame['players']['white']): GameCard['players']['white'] {
  return { ...player, seated: true, online: true };
}

/** The card of a game; `live` is its board as it was told since. */
export function cardOf(game: RunningGame, live: WatchedBoard | undefined): GameCard {
  const board = newer(game.board, live);
  return {
    id: game.id,
    variant: game.variant,
    name: game.name,
    fen: board.fen,
    last: board.last ?? null,
    players: { white: seated(game.players.white), black: seated(game.players.black) },
    clock: game.clock,
    ply: board.ply,
    stage: !board.over ? 'playing' : board.result ? 'over' : 'aborted',
    result: board.result ?? null,
    to_move: false,
  };
}

/** What the players' ratings were as the game began, as `1801 – 1650`; nothing where neither has one. */
export function ratingsOf({ players: { white, black } }: RunningGame): string {
  if (white.rating == null && black.rating == null) return '';
  return `${white.rating ?? '–'} : ${black.rating ?? '–'}`;
}
