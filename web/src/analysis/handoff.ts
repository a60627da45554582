// A game on its way to the analysis page of its variant: PGN may name another variant than the page's own.

import type { PositionAnswer } from '../api/types';
import type { Node, Tree } from './tree';

export interface Loaded {
  variant: string;
  tree: Tree;
  /** Where to begin looking. */
  at: Node;
  tags: [string, string][];
  /** The game played here that it is of. */
  game?: string;
  /** What the server said of `at`, if it did. */
  answer?: PositionAnswer;
}

let waiting: Loaded | undefined;

/** Leaves a game for the page that opens next. */
export function leave(game: Loaded): void {
  waiting = game;
}

/** Takes a game left for a variant. */
export function take(variant: string): Loaded | undefined {
  const game = waiting?.variant === variant ? waiting : undefined;
  waiting = undefined;
  return game;
}
