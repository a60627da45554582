// A game with its variations: a tree of moves, each with the position after it as the server gave it. The
// first child of a node is the main line. Knows nothing of how it is shown.

import type { PgnMove, Played } from '../api/types';

export interface Node {
  /** Number within the tree, for keys. */
  id: number;
  /** The move that leads here; missing at the root. */
  uci: string;
  san: string;
  /** Position text, once known. */
  fen: string;
  check?: string;
  /** Comments before the move. */
  before: string[];
  /** Annotations by their numbers in PGN. */
  nags: number[];
  /** The annotations as they stand after the move, such as `!`. */
  signs: string;
  comments: string[];
  parent?: Node;
  children: Node[];
}

export class Tree {
  readonly root: Node;
  private next = 1;

  constructor(start: string) {
    this.root = { id: 0, uci: '', san: '', fen: start, ...unsaid(), children: [] };
  }

  /** Adds a move after a node, or finds it there. */
  add(after: Node, move: Pick<Played, 'uci' | 'san' | 'fen' | 'check'>): Node {
    const there = after.children.find((child) => child.uci === move.uci);
    if (there) {
      if (!there.fen) there.fen = move.fen;
      return there;
    }
    const node: Node = {
      id: this.next++,
      uci: move.uci,
      san: move.san,
      fen: move.fen,
      ...unsaid(),
      parent: after,
      children: [],
    };
    if (move.check) node.check = move.check;
    after.children.push(node);
    return node;
  }

  /** Adds a line of moves; gives its last node. */
  addLine(after: Node, moves: Pick<Played, 'uci' | 'san' | 'fen' | 'check'>[]): Node {
    return moves.reduce<Node>((node, move) => this.add(node, move), after);
  }

  /** Adds a line as read from PGN with its comments, annotations and variations; gives the last node of the line itself. */
  addPgn(after: Node, line: PgnMove[]): Node {
    let node = after;
    for (const move of line) {
      const before = node;
      node = this.add(before, move);
      node.before.push(...(move.before ?? []));
      node.comments.push(...(move.comments ?? []));
      if (move.nags?.length) {
        // the last that is said of a move counts, where a text has it twice
        node.nags = move.nags;
        node.signs = move.signs ?? '';
      }
      for (const other of move.variations ?? []) this.addPgn(before, other);
    }
    return node;
  }

  /** Makes a node's line the first one at the nearest fork above it. */
  promote(node: Node): void {
    const fork = forkAbove(node);
    if (!fork) return;
    const { parent, child } = fork;
    parent.children = [child, ...parent.children.filter((other) => other !== child)];
  }

  /** Cuts a node off with all that follows; gives the node before it. */
  remove(node: Node): Node {
    const parent = node.parent;
    if (!parent) return node;
    parent.children = parent.children.filter((other) => other !== node);
    return parent;
  }
}

/** Nothing is said about a move yet. */
function unsaid(): Pick<Node, 'before' | 'nags' | 'signs' | 'comments'> {
  return { before: [], nags: [], signs: '', comments: [] };
}

/** The nearest fork above a node at which its line is not the first. */
function forkAbove(node: Node): { parent: Node; child: Node } | undefined {
  for (let at = node; at.parent; at = at.parent) {
    if (at.parent.children[0] !== at) return { parent: at.parent, child: at };
  }
  return undefined;
}

/** Whether a node lies on a variation, so that it can be promoted. */
export function onVariation(node: Node): boolean {
  return forkAbove(node) !== undefined;
}

/** The nodes from the first move to this one. */
export function path(node: Node): Node[] {
  const nodes: Node[] = [];
  for (let at = node; at.parent; at = at.parent) nodes.unshift(at);
  return nodes;
}

/** Last node of the line that begins with a node. */
export function lastOf(node: Node): Node {
  let at = node;
  while (at.children[0]) at = at.children[0];
  return at;
}

/** Half-moves before the first move, so that numbering follows the position text of the start. */
export function plyOf(start: string): number {
  const parts = start.trim().split(/\s+/);
  const full = Number(parts[parts.length - 1]);
  const black = parts[1] === 'b';
  return (Number.isInteger(full) && full > 0 && parts.length > 4 ? full - 1 : 0) * 2 + (black ? 1 : 0);
}

/** Move number before a move: `3.` for White, `3...` for Black where one is due. */
export function numberBefore(ply: number, due: boolean): string {
  const number = Math.floor(ply / 2) + 1;
  if (ply % 2 === 0) return `${number}.`;
  return due ? `${number}...` : '';
}
