// The arrangement of a move diagram: one piece and pieces in its way. Plain values, changed by making new ones.

import type { Example, VariantDetail } from '../api/types';
import { rows } from '../analysis/fen';

export type Blocker = 'enemy' | 'own';

export interface Arrangement {
  at: string;
  blockers: ReadonlyMap<string, Blocker>;
}

/** A square near the middle, so that most of a piece's moves fit on the board. */
export function middle(variant: VariantDetail): string {
  const all = rows(variant.files, variant.ranks, variant.missing);
  const want = { row: Math.floor(variant.ranks / 2), column: Math.floor((variant.files - 1) / 2) };
  let best: { square: string; far: number } | undefined;
  all.forEach((row, r) =>
    row.forEach((square, c) => {
      if (!square) return;
      const far = Math.hypot(r - want.row, c - want.column);
      if (!best || far < best.far) best = { square, far };
    }),
  );
  return best!.square;
}

/** The arrangement that a diagram begins with: the game's example, or the piece alone. */
export function begun(variant: VariantDetail, example?: Example): Arrangement {
  const put = (squares: string[], kind: Blocker) =>
    squares.map((square): [string, Blocker] => [square, kind]);
  return {
    at: example?.from ?? middle(variant),
    blockers: new Map([...put(example?.own ?? [], 'own'), ...put(example?.enemy ?? [], 'enemy')]),
  };
}

/** Puts an enemy on an empty square, makes an enemy one of the own side, takes an own one off. */
export function cycle(from: Arrangement, square: string): Arrangement {
  const blockers = new Map(from.blockers);
  const now = blockers.get(square);
  if (now === undefined) blockers.set(square, 'enemy');
  else if (now === 'enemy') blockers.set(square, 'own');
  else blockers.delete(square);
  return { at: from.at, blockers };
}

/** Moves the piece or a blocker; whatever stood on the new square goes. Off the board a blocker vanishes. */
export function carry(from: Arrangement, square: string, to: string | undefined): Arrangement {
  if (square === from.at) {
    if (!to) return from;
    const blockers = new Map(from.blockers);
    blockers.delete(to);
    return { at: to, blockers };
  }
  const kind = from.blockers.get(square);
  if (!kind || to === from.at) return from;
  const blockers = new Map(from.blockers);
  blockers.delete(square);
  if (to) blockers.set(to, kind);
  return { at: from.at, blockers };
}

/** The squares of one kind of blocker, in a fixed order. */
export function squaresOf(from: Arrangement, kind: Blocker): string[] {
  return [...from.blockers]
    .filter(([, of]) => of === kind)
    .map(([square]) => square)
    .sort();
}
