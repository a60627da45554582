// A tree written as PGN: tags, moves, annotations, comments and variations. Reading PGN is the server's work.

import type { GameResult } from '../api/types';
import { numberBefore, plyOf, type Node, type Tree } from './tree';

const WIDTH = 80;

/** Results that a tag may tell. */
const TOLD = new Set(['1-0', '0-1', '1/2-1/2']);

/**
 * PGN text of a tree. Tags `FEN` and `SetUp` are written if the game does not begin at the standard set-up. Where the last
 * position has no result, as after a resignation, the tag `Result` tells it.
 */
export function writePgn(
  variant: string,
  tree: Tree,
  standard: string,
  result: GameResult | undefined,
  tags: [string, string][] = [],
): string {
  const told = tags.find(([name, value]) => name === 'Result' && TOLD.has(value))?.[1];
  const score = result
    ? result.winner
      ? result.winner === 'white'
        ? '1-0'
        : '0-1'
      : '1/2-1/2'
    : (told ?? '*');
  const all = new Map<string, string>([
    ['Event', 'Analysis'],
    ['Site', '?'],
    ['Date', '????.??.??'],
    ['Round', '?'],
    ['White', '?'],
    ['Black', '?'],
  ]);
  for (const [name, value] of tags) all.set(name, value);
  all.set('Result', score);
  all.set('Variant', variant);
  all.delete('FEN');
  all.delete('SetUp');
  if (tree.root.fen !== standard) {
    all.set('SetUp', '1');
    all.set('FEN', tree.root.fen);
  }
  const head = [...all].map(([name, value]) => `[${name} "${value.replace(/[\\"]/g, '\\$&')}"]`).join('\n');
  const words = [...braced(tree.root.comments), ...line(tree.root, plyOf(tree.root.fen), true), score];
  return `${head}\n\n${wrap(words)}\n`;
}

function braced(comments: string[]): string[] {
  return comments.flatMap((text) => `{${text.replace(/[{}]/g, '')}}`.split(/\s+/));
}

/** Words of the line after a node, variations after the move that they replace. */
function line(after: Node, ply: number, due: boolean): string[] {
  const [main, ...others] = after.children;
  if (!main) return [];
  const words = move(main, ply, due);
  for (const other of others) {
    const inner = [...move(other, ply, true), ...line(other, ply + 1, other.comments.length > 0)];
    inner[0] = `(${inner[0]}`;
    inner[inner.length - 1] += ')';
    words.push(...inner);
  }
  return [...words, ...line(main, ply + 1, others.length > 0 || main.comments.length > 0)];
}

/** A comment before a move stands after its number: without that it would belong to the move before. */
function move(node: Node, ply: number, due: boolean): string[] {
  const number = numberBefore(ply, due || node.before.length > 0);
  const nags = node.nags.map((nag) => `$${nag}`);
  return [...(number ? [number] : []), ...braced(node.before), node.san, ...nags, ...braced(node.comments)];
}

function wrap(words: string[]): string {
  const lines: string[] = [];
  let current = '';
  for (const word of words) {
    if (current && current.length + 1 + word.length > WIDTH) {
      lines.push(current);
      current = word;
    } else {
      current = current ? `${current} ${word}` : word;
    }
  }
  return [...lines, current].join('\n');
}
