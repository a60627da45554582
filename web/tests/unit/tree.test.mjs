// The tree of moves: variations added, promoted, cut off, laid out and written as PGN.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blocksOf } from '../../src/analysis/blocks.ts';
import { pack, unpack } from '../../src/analysis/keep.ts';
import { looksLikePgn } from '../../src/analysis/load.ts';
import { writePgn } from '../../src/analysis/pgn.ts';
import { lastOf, onVariation, path, plyOf, Tree } from '../../src/analysis/tree.ts';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const move = (san) => ({ uci: san, san, fen: `after ${san}` });
const line = (text) => text.split(' ').map(move);

/** e4 e5 (c5 Nf3 (c3)) Nf3 Nc6, with a comment. */
function sample() {
  const tree = new Tree(START);
  const main = tree.addLine(tree.root, line('e4 e5 Nf3 Nc6'));
  const e4 = tree.root.children[0];
  const c5 = tree.add(e4, move('c5'));
  tree.add(c5, move('Nf3'));
  tree.add(c5, move('c3'));
  e4.children[0].comments.push('the open game');
  return { tree, main, e4, c5 };
}

const words = (text) => text.split('\n\n')[1].replace(/\s+/g, ' ').trim();

describe('tree', () => {
  test('a move that is there is not added twice', () => {
    const { tree, e4 } = sample();
    assert.equal(tree.add(tree.root, move('e4')), e4);
    assert.equal(tree.root.children.length, 1);
  });

  test('paths and ends', () => {
    const { tree, main, c5 } = sample();
    assert.deepEqual(
      path(main).map((node) => node.san),
      ['e4', 'e5', 'Nf3', 'Nc6'],
    );
    assert.equal(lastOf(tree.root), main);
    assert.equal(onVariation(main), false);
    assert.equal(onVariation(c5.children[0]), true);
  });

  test('promotion changes the nearest fork', () => {
    const { tree, c5, e4 } = sample();
    const [, c3] = c5.children;
    tree.promote(c3);
    assert.deepEqual(
      c5.children.map((node) => node.san),
      ['c3', 'Nf3'],
    );
    tree.promote(c3);
    assert.deepEqual(
      e4.children.map((node) => node.san),
      ['c5', 'e5'],
    );
    assert.equal(onVariation(c3), false);
  });

  test('what is cut off is gone with all that follows', () => {
    const { tree, c5, e4 } = sample();
    assert.equal(tree.remove(c5), e4);
    assert.deepEqual(
      e4.children.map((node) => node.san),
      ['e5'],
    );
    assert.equal(tree.remove(tree.root), tree.root);
  });

  test('numbering begins where the position text says', () => {
    assert.equal(plyOf(START), 0);
    assert.equal(plyOf('8/8 b - - 0 12'), 23);
    assert.equal(plyOf('8/8 w - - CYcy 0 3'), 4);
    assert.equal(plyOf('8/8 b - -'), 1);
  });
});

describe('layout', () => {
  test('variations stand after the move that they replace', () => {
    const { tree } = sample();
    assert.deepEqual(
      blocksOf(tree).map(({ depth, tokens }) => [
        depth,
        tokens.map(({ number, node }) => number + node.san).join(' '),
      ]),
      [
        [0, '1.e4 e5'],
        [1, '1...c5 2.Nf3'],
        [2, '2.c3'],
        [0, '2.Nf3 Nc6'],
      ],
    );
  });
});

describe('PGN', () => {
  test('moves, comments and variations', () => {
    const { tree } = sample();
    const text = writePgn('chess', tree, START, undefined);
    assert.match(text, /^\[Event "Analysis"\]\n[\s\S]*\[Result "\*"\]\n\[Variant "chess"\]\n\n/);
    assert.doesNotMatch(text, /FEN/);
    assert.equal(words(text), '1. e4 e5 {the open game} (1... c5 2. Nf3 (2. c3)) 2. Nf3 Nc6 *');
  });

  test('annotations and comments before a move', () => {
    const tree = new Tree(START);
    tree.addPgn(tree.root, [
      { ...move('e4'), nags: [1, 16], signs: '! ±', comments: ['central'] },
      {
        ...move('e5'),
        before: ['or c5'],
        variations: [[{ ...move('c5'), before: ['sharp'], nags: [5], signs: '!?' }]],
      },
    ]);
    const text = '1. e4 $1 $16 {central} 1... {or c5} e5 (1... {sharp} c5 $5) *';
    assert.equal(words(writePgn('chess', tree, START, undefined)), text);
    assert.equal(tree.root.children[0].signs, '! ±');
    const kept = JSON.parse(JSON.stringify(pack(tree, tree.root, [])));
    assert.equal(words(writePgn('chess', unpack(kept).tree, START, undefined)), text);
    // as it was kept before annotations were
    kept.nodes = kept.nodes.map((node) => node.slice(0, 6));
    assert.equal(
      words(writePgn('chess', unpack(kept).tree, START, undefined)),
      '1. e4 {central} 1... e5 (1... c5) *',
    );
  });

  test('another start, tags and a result', () => {
    const start = '4k3/8/8/8/8/8/8/4K2R b K - 3 30';
    const tree = new Tree(start);
    tree.addLine(tree.root, line('Kd7 O-O'));
    const result = { winner: 'white', reason: 'time', points: { white: 1, black: 0 } };
    const text = writePgn('chess', tree, START, result, [
      ['White', 'A "quoted" \\ name'],
      ['FEN', 'stale'],
    ]);
    assert.match(text, /\[White "A \\"quoted\\" \\\\ name"\]/);
    assert.match(text, /\[SetUp "1"\]\n\[FEN "4k3\/8\/8\/8\/8\/8\/8\/4K2R b K - 3 30"\]/);
    assert.equal(words(text), '30... Kd7 31. O-O 1-0');
  });

  test('a result that only the tag tells', () => {
    const { tree } = sample();
    const text = writePgn('chess', tree, START, undefined, [
      ['Result', '0-1'],
      ['Termination', 'resignation'],
    ]);
    assert.match(text, /\[Result "0-1"\]/);
    assert.match(words(text), / 0-1$/);
    assert.match(words(writePgn('chess', tree, START, undefined, [['Result', 'won']])), / \*$/);
  });

  test('lines stay short', () => {
    const tree = new Tree(START);
    tree.addLine(tree.root, line(Array.from({ length: 80 }, (_, i) => `N${i}`).join(' ')));
    for (const row of writePgn('chess', tree, START, undefined).split('\n')) assert.ok(row.length <= 80);
  });

  test('PGN is told from position text', () => {
    for (const fen of [START, '1**********1/*rnewkgwenr* w - - 0 1', '4k4/9 b'])
      assert.equal(looksLikePgn(fen), false);
    for (const pgn of ['1. e4 e5 *', '[Variant "chess"]\n\n*', 'e4\ne5'])
      assert.equal(looksLikePgn(pgn), true);
  });
});
