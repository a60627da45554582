// The targets of a piece as things to be drawn: which sign stands on a square, and the lines of ways that are not plain to
// see. Plain values; what can be reached is the server's say.
import type { Target } from '../api/types';
import { placeOf } from './keys';

/** Which sign a target gets. */
export type Sign = 'move' | 'capture' | 'traverse' | 'castling' | 'hollow';

export function signOf(target: Target): Sign {
  if (!target.legal) return 'hollow';
  if (target.act === 'traverse' || target.act === 'castling') return target.act;
  return target.capture ? 'capture' : 'move';
}

/** A line through squares, from the piece's own to a target. */
export interface Line {
  squares: string[];
  /** Whether some piece is jumped on it. */
  jumps: boolean;
}

/** Whether squares lie on one straight line. */
function straight(squares: string[]): boolean {
  const [[x, y], ...rest] = squares.map(placeOf) as [[number, number], ...[number, number][]];
  const [dx, dy] = [rest[0]![0] - x, rest[0]![1] - y];
  return rest.every(([a, b]) => (a - x) * dy === (b - y) * dx);
}

/**
 * The ways that a dot on the target does not explain: those that bend, and those over another piece. Of ways on the same line
 * only the longest is drawn.
 */
export function linesOf(from: string, targets: Target[]): Line[] {
  const ways = targets
    .filter((target) => target.legal)
    .map((target) => ({
      squares: [from, ...(target.path ?? []), target.to],
      jumps: !!target.over,
    }))
    .filter((way) => way.jumps || !straight(way.squares));
  const begins = (long: Line, short: Line) =>
    long.squares.length > short.squares.length &&
    short.squares.every((square, i) => long.squares[i] === square);
  return ways.filter((way) => !ways.some((other) => begins(other, way)));
}

/** The squares of the pieces that are jumped. */
export function screens(targets: Target[]): string[] {
  return [...new Set(targets.flatMap((target) => (target.over && target.legal ? [target.over] : [])))];
}

/** How many moves and captures there are, in words. */
export function countWords(targets: Target[]): string {
  const legal = targets.filter((target) => target.legal);
  const captures = legal.filter((target) => target.capture).length;
  const moves = legal.length - captures;
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  if (!legal.length) return targets.length ? 'No move is allowed now.' : 'No move now.';
  if (!captures) return `${count(moves, 'move')} now.`;
  if (!moves) return `${count(captures, 'capture')} now.`;
  return `${count(moves, 'move')} and ${count(captures, 'capture')} now.`;
}

/** A worth in words: `worth about 5½ pawns`. */
export function worthWords(worth: number): string {
  if (worth === 1) return 'worth one pawn';
  const whole = Math.floor(worth);
  const part = worth > whole ? '½' : '';
  return whole ? `worth about ${whole}${part} pawns` : 'worth about half a pawn';
}
