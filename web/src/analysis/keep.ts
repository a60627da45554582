// An analysis kept for this tab, so that branches and the game survive a reload: the tree as a flat list.
import type { Loaded } from './handoff';
import { path, Tree, type Node } from './tree';

/** A node's parent by its place in the list (-1: the root), then what it holds. */
type Packed = [
  parent: number,
  uci: string,
  san: string,
  fen: string,
  check: string,
  comments: string[],
  before?: string[],
  nags?: number[],
  signs?: string,
];

export interface Kept {
  start: string;
  tags: [string, string][];
  comments: string[];
  nodes: Packed[];
  /** The moves to the position looked at. */
  at: string[];
}

export function pack(tree: Tree, at: Node, tags: [string, string][]): Kept {
  const nodes: Packed[] = [];
  const open: [Node, number][] = [[tree.root, -1]];
  for (let next = open.shift(); next; next = open.shift()) {
    const [node, place] = next;
    for (const child of node.children) {
      const { uci, san, fen, check, comments, before, nags, signs } = child;
      nodes.push([place, uci, san, fen, check ?? '', comments, before, nags, signs]);
      open.push([child, nodes.length - 1]);
    }
  }
  return {
    start: tree.root.fen,
    tags,
    comments: tree.root.comments,
    nodes,
    at: path(at).map((node) => node.uci),
  };
}

export function unpack(kept: Kept): { tree: Tree; at: Node } {
  const tree = new Tree(kept.start);
  tree.root.comments = [...kept.comments];
  const made: Node[] = [];
  for (const [parent, uci, san, fen, check, comments, before, nags, signs] of kept.nodes) {
    const after = parent < 0 ? tree.root : made[parent];
    if (!after) break;
    const node = tree.add(after, { uci, san, fen, ...(check ? { check } : {}) });
    node.comments = [...comments];
    node.before = [...(before ?? [])];
    node.nags = [...(nags ?? [])];
    node.signs = signs ?? '';
    made.push(node);
  }
  return { tree, at: follow(tree, kept.at) ?? tree.root };
}

/** The node that a line of moves leads to. */
export function follow(tree: Tree, moves: string[]): Node | undefined {
  let node: Node | undefined = tree.root;
  for (const uci of moves) node = node?.children.find((child) => child.uci === uci);
  return node;
}

/** Stands beside the address of an analysis that is kept. */
export const KEPT = 'analysis';

const PREFIX = 'husun.analysis.';

/** Keeps an analysis under its game's id, or its variant's where it is of no game played here. */
export function keep(game: string | undefined, variant: string, kept: Kept): void {
  try {
    sessionStorage.setItem(PREFIX + (game ?? variant), JSON.stringify(kept));
  } catch {
    // no room, or no storage: it lasts as long as the page
  }
}

function read(key: string): Kept | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PREFIX + key) ?? 'null') as Kept | null;
    return kept && Array.isArray(kept.nodes) && typeof kept.start === 'string' ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** What was loaded, with the branches that were made of it before the page was loaded anew. */
export function restored(loaded: Loaded, wanted: string[]): Loaded {
  const kept = read(loaded.game ?? loaded.variant);
  if (!kept || kept.start !== loaded.tree.root.fen) return loaded;
  const { tree, at } = unpack(kept);
  if (loaded.game) {
    // moves played since are added
    const end = tree.addLine(tree.root, path(loaded.at));
    return { ...loaded, tree, at: kept.at.length ? at : end, tags: kept.tags };
  }
  const there = follow(tree, wanted);
  return there ? { ...loaded, tree, at: there, tags: kept.tags } : loaded;
}
