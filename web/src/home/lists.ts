// Which games Home and "My games" list, and in which order.
import type { GameCard } from '../api/types';

export const isOver = (game: GameCard): boolean => game.stage === 'over' || game.stage === 'aborted';

/** Own games under way: those that wait for a move first, those that wait for a player last. */
export function underWay(games: GameCard[]): GameCard[] {
  const rank = (game: GameCard) => (game.stage !== 'playing' ? 2 : game.to_move ? 0 : 1);
  return games.filter((game) => !isOver(game)).sort((a, b) => rank(a) - rank(b));
}

/** Games that others play just now: begun, not over, and with somebody there, or played by days. */
export function toWatch(games: GameCard[], own: GameCard[]): GameCard[] {
  const mine = new Set(own.map((game) => game.id));
  const here = (game: GameCard) =>
    (['white', 'black'] as const).some((side) => {
      const { level, online } = game.players[side];
      return level == null && online;
    });
  return games.filter(
    (game) =>
      game.stage === 'playing' && !mine.has(game.id) && (here(game) || game.clock.startsWith('days:')),
  );
}
