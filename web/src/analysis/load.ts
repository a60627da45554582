// Where an analysis comes from: a game of this server, position text with moves, or PGN. Everything read here
// has been judged by the server.

import { api, Refused } from '../api/http';
import type { PgnAnswer } from '../api/types';
import { plainMove, plainPgn } from '../parts/plain';
import type { Loaded } from './handoff';
import { lastOf, Tree } from './tree';

/** A position with moves after it; the standard set-up if no position is given. */
export async function fromMoves(variant: string, fen: string | undefined, moves: string[]): Promise<Loaded> {
  const answer = await api.position({ variant, ...(fen ? { fen } : {}), moves }).catch((error) => {
    if (!(error instanceof Refused) || error.code !== 'illegal_move') throw error;
    throw new Refused(error.code, plainMove(error.message));
  });
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
    game: id,
    tags: [
      ['Event', game.name],
      ['White', game.now.players.white.name],
      ['Black', game.now.players.black.name],
    ],
  };
}

/** A game as PGN text. */
export async function fromPgn(text: string): Promise<Loaded> {
  const answer = await readPgn(text);
  const tree = new Tree(answer.start);
  tree.addPgn(tree.root, answer.line);
  return { variant: answer.variant, tree, at: lastOf(tree.root), tags: answer.tags };
}

/** Reads PGN. What people copy often lacks the result at the end: it is open then. */
async function readPgn(text: string): Promise<PgnAnswer> {
  try {
    return await api.pgn(text);
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'pgn') throw error;
    const open = /found the end of the text, expected the result/.test(error.message);
    if (!open) throw new Refused('pgn', plainPgn(error.message));
    try {
      return await api.pgn(`${text}\n*`);
    } catch (again) {
      throw again instanceof Refused && again.code === 'pgn'
        ? new Refused('pgn', plainPgn(again.message))
        : again;
    }
  }
}

/** Whether a text looks like PGN rather than position text: position text is one line of ranks between slashes. */
export function looksLikePgn(text: string): boolean {
  return text.includes('[') || text.trim().includes('\n') || !/^\S+\/\S+\s+[wb]\b/.test(text.trim());
}
