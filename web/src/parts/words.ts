// Words of the pages that more than one part needs.
import type { GameResult, Both, Player, Side, StateLetter, VariantCard, VariantDetail } from '../api/types';

/** Name of a side in a game. */
export function sideName(variant: Pick<VariantCard, 'sides'> | null, side: Side): string {
  return variant?.sides[side] || (side === 'white' ? 'White' : 'Black');
}

/** What stands in the state field of a position text, as the game's data say it. */
export function standing(variant: Pick<VariantDetail, 'state'>, fen: string): StateLetter[] {
  const fields = fen.split(' ');
  const state = fields.length > 6 ? (fields[4] ?? '') : '';
  return variant.state.filter(({ letter }) => state.includes(letter));
}

/** Letters of a side's pieces that are kept off the board. */
export function prisoners(variant: Pick<VariantDetail, 'state'> | null, fen: string, side: Side): string {
  const letters = variant ? standing(variant, fen) : [];
  return letters.map(({ held }) => (held?.side === side ? held.piece : '')).join('');
}

const REASONS: Record<string, string> = {
  time: ' on time',
  'green gem': ' with a Green Gem',
  'move rule': ' by the move rule',
  'bare royals': ': only royal pieces are left',
  citadel: ': a king reached the citadel',
};

/** Points as `2½`. */
export function points(n: number): string {
  const whole = Math.trunc(n);
  const part = { 25: '¼', 50: '½', 75: '¾' }[Math.abs(n - whole) * 100] ?? '';
  return whole || !part ? `${whole}${part}` : part;
}

/** Game points as `5 : 0`. */
export function score(result: GameResult): string {
  return `${points(result.points.white)} : ${points(result.points.black)}`;
}

/** How a game ended: who won, or that it was a draw, and why; `left` is said where the loser has left the game. */
function ending(result: GameResult, won: string, left: string): string {
  const who = result.winner ? won : 'Draw';
  if (result.reason === 'abandoned') return `${who}: ${result.winner ? left : 'the game was abandoned'}`;
  return who + (REASONS[result.reason] ?? ` by ${result.reason}`);
}

/** How a game ended, in a sentence. */
export function resultText(result: GameResult, variant: Pick<VariantCard, 'sides'> | null): string {
  const winner = result.winner ?? 'white';
  const loser = winner === 'white' ? 'black' : 'white';
  return ending(result, `${sideName(variant, winner)} wins`, `${sideName(variant, loser)} has left the game`);
}

/** The same where the players are named and not their sides; `own` is the reader's side. */
export function resultOf(
  result: GameResult,
  players: Both<Pick<Player, 'name'>>,
  own: Side | null | undefined,
): string {
  const winner = result.winner ?? 'white';
  const loser = winner === 'white' ? 'black' : 'white';
  const name = (side: Side) => players[side].name || 'Guest';
  if (own === winner) return ending(result, 'You won', 'your opponent has left');
  if (own === loser) return ending(result, 'You lost', 'you left');
  return ending(result, `${name(winner)} wins`, `${name(loser)} has left the game`);
}

/** When somebody was here last, as far as it is told. */
export function seenWords(ms: number): string {
  const hours = (Date.now() - ms) / 3_600_000;
  if (hours < 2) return 'here within the last two hours';
  if (hours < 48) return 'here within the last two days';
  return `last here ${new Date(ms).toLocaleDateString(undefined, { dateStyle: 'medium' })}`;
}

/** The two players of a game in a line; `own` is the reader's side. */
export function playersText(players: Both<Player>, own: Side | null | undefined): string {
  const name = (side: Side) => {
    if (side === own) return 'You';
    return players[side].seated ? players[side].name || 'Guest' : '…';
  };
  return `${name('white')} – ${name('black')}`;
}

/** The end of a game as its player feels it; null for those who watch. */
export function verdict(result: GameResult, own: Side | null): { head: string; line: string } | null {
  if (!own) return null;
  if (!result.winner) return { head: 'A draw', line: 'Well held, both of you.' };
  return result.winner === own
    ? { head: 'You won!', line: 'Well played.' }
    : { head: 'You lost', line: 'It happens to everybody. Look at where it turned, and try again.' };
}
