// What is asked of the server about games that are looked back at.
import { ask } from '../api/http';
import type { ReviewState, TryAnswer } from '../api/types';

const enc = encodeURIComponent;

/** Has a game looked back at that was played here, or goes on with one that was brought in. */
export function begin(id: string, game: boolean): Promise<ReviewState> {
  return ask('POST', game ? `games/${enc(id)}/review` : `reviews/${enc(id)}`);
}

/** How far it is. */
export function look(id: string): Promise<ReviewState> {
  return ask('GET', `reviews/${enc(id)}`);
}

/** Has the game of a PGN text looked back at. */
export function bring(text: string): Promise<ReviewState> {
  return ask('POST', 'reviews', { text });
}

/** What the engine says of a move instead of one of the game; half-moves count from 0. */
export function attempt(id: string, ply: number, uci: string): Promise<TryAnswer> {
  return ask('POST', `reviews/${enc(id)}/try`, { ply, uci });
}
