// Prepared answers as lines of moves.
import type { Plan, Played } from '../api/types';

/** A line that is being made on the board. */
export interface Trial {
  line: string[];
  sans: string[];
  /** The position at its end. */
  fen: string;
  check: string | undefined;
  last: string | undefined;
  legal: string[];
  /** Goes on with a move. */
  add: (uci: string) => void;
}

/** What is left of the lines along which the game has gone since they were prepared. */
export function restOf(plan: Plan | null, moves: Played[]): string[][] {
  if (!plan) return [];
  const since = moves.slice(plan.ply).map((move) => move.uci);
  return plan.lines
    .filter((line) => line.length > since.length && since.every((uci, index) => line[index] === uci))
    .map((line) => line.slice(since.length));
}

/** Lines with another one, which takes the place of those that answer the same otherwise or are its beginning. */
export function withLine(lines: string[][], line: string[]): string[][] {
  const stays = (other: string[]): boolean => {
    let common = 0;
    while (common < Math.min(other.length, line.length) && other[common] === line[common]) common += 1;
    if (common === other.length) return false;
    return common % 2 === 0;
  };
  return [...lines.filter(stays), line];
}
