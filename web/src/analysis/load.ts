// Where an analysis comes from: a game of this server, position text with moves, or PGN. Everything read here
// has been judged by the server.

import { api } from '../api/http';
import type { Loaded } from './handoff';
import { lastOf, Tree } from './tree';

/** A position with moves after it; the standard set-up if no position is given. */
export async function fromMoves(variant: string, fen: string | undefined, moves: string[]): Promise<Loaded> {
  const answer = await api.position({ variant, ...(fen ? { fen } : {}), moves });
  const tree = new Tree(answer.start);
  return { variant, tree, at: tree.addLine(tree.root, answer.played), tags: [], answer };
}

/** A game played here, or being played. */
export async function fromGame(id: string): Promise<Loaded> {
  const game = await api.game(id);
  if (!game.variant || !game.start) throw new Error('This game has not begun yet.');
  const tree = new Tree(game.start);
  const at = tree.addLine(tree.root, game.moves);
  return {
    variant: game.variant,
    tree,
    at,
    tags: [
      ['Event', game.name],
      ['White', game.now.players.white.name],
      ['Black', game.now.players.black.name],
    ],
  };
}

/** A game as PGN text. */
export async function fromPgn(text: string): Promise<Loaded> {
  const answer = await api.pgn(text);
  const tree = new Tree(answer.start);
  tree.addPgn(tree.root, answer.line);
  return { variant: answer.variant, tree, at: lastOf(tree.root), tags: answer.tags };
}

/** Whether a text looks like PGN rather than position text: position text is one line of ranks between slashes. */
export function looksLikePgn(text: string): boolean {
  return text.includes('[') || text.trim().includes('\n') || !/^\S+\/\S+\s+[wb]\b/.test(text.trim());
}
