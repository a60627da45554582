// A tree laid out for reading: the main line in blocks, each variation as an indented block of its own after the
// move that it replaces.

import { numberBefore, plyOf, type Node, type Tree } from './tree';

export interface Token {
  node: Node;
  /** `12.`, `12...` or nothing. */
  number: string;
}

export interface Block {
  /** Node that it begins with, for keys. */
  id: number;
  /** 0 for the main line. */
  depth: number;
  tokens: Token[];
}

export function blocksOf(tree: Tree): Block[] {
  const blocks: Block[] = [];

  function open(depth: number): Block {
    const block: Block = { id: -1, depth, tokens: [] };
    blocks.push(block);
    return block;
  }

  function put(block: Block, node: Node, ply: number): void {
    const before = block.tokens[block.tokens.length - 1];
    if (!before) block.id = node.id;
    const due = !before || before.node.comments.length > 0 || node.before.length > 0;
    block.tokens.push({ node, number: numberBefore(ply, due) });
  }

  function walk(from: Node, start: number, into: Block): void {
    let block = into;
    let ply = start;
    for (let after = from; after.children[0]; after = after.children[0], ply += 1) {
      put(block, after.children[0], ply);
      const others = after.children.slice(1);
      if (!others.length) continue;
      for (const other of others) {
        const aside = open(into.depth + 1);
        put(aside, other, ply);
        walk(other, ply + 1, aside);
      }
      if (after.children[0].children.length) block = open(into.depth);
    }
  }

  walk(tree.root, plyOf(tree.root.fen), open(0));
  return blocks.filter((block) => block.tokens.length > 0);
}
