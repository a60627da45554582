// Which games Home and "My games" list, and in which order.
import type { GameCard, RunningGame } from '../api/types';

export const isOver = (game: GameCard): boolean => game.stage === 'over' || game.stage === 'aborted';

/** Own games under way: those that wait for a move first, those that wait for a player last. */
export function underWay(games: GameCard[]): GameCard[] {
  const rank = (game: GameCard) => (game.stage !== 'playing' ? 2 : game.to_move ? 0 : 1);
  return games.filter((game) => !isOver(game)).sort((a, b) => rank(a) - rank(b));
}

/** The best games that others play just now: begun by both sides, and not the own ones; four at most. */
export function bestToWatch(games: RunningGame[], own: GameCard[]): RunningGame[] {
  const mine = new Set(own.map((game) => game.id));
  return games.filter((game) => game.board.ply >= 2 && !mine.has(game.id)).slice(0, 4);
}
