// An analysis kept and brought back; what is told of a move that is easily missed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, pack, unpack } from '../../src/analysis/keep.ts';
import { path, Tree } from '../../src/analysis/tree.ts';
import { brought, thrown } from '../../src/parts/happened.ts';

const move = (uci) => ({ uci, san: uci, fen: `after ${uci}` });

test('a tree comes back with its branches, its comments and the place', () => {
  const tree = new Tree('start w - - 0 1');
  const first = tree.add(tree.root, move('e2e4'));
  const main = tree.add(first, { ...move('e7e5'), check: 'e1' });
  const side = tree.add(first, move('c7c5'));
  side.comments.push('sharp');
  tree.root.comments.push('a game');
  const kept = JSON.parse(JSON.stringify(pack(tree, side, [['White', 'A']])));
  const back = unpack(kept);
  assert.deepEqual(
    path(back.at).map((node) => node.uci),
    ['e2e4', 'c7c5'],
  );
  assert.deepEqual(back.at.comments, ['sharp']);
  assert.deepEqual(back.tree.root.comments, ['a game']);
  const again = follow(back.tree, ['e2e4', 'e7e5']);
  assert.deepEqual([again.san, again.fen, again.check], [main.san, main.fen, 'e1']);
  assert.deepEqual(
    follow(back.tree, ['e2e4']).children.map((node) => node.uci),
    ['e7e5', 'c7c5'],
  );
  assert.equal(follow(back.tree, ['d2d4']), undefined);
});

const citadel = {
  sides: { white: 'Pure-White', black: 'Blue-Stripe' },
  pieces: [
    { letter: 'C', name: 'Chief Commander' },
    { letter: 'Y', name: 'Prince, younger' },
    { letter: 'X', name: 'Emperor' },
  ],
};

test('a prisoner set free is told, by side and name; a common move is not', () => {
  const fen = (state) => `9/9 w - - ${state} 0 1`;
  assert.equal(brought(citadel, fen('CYcy'), fen('Ycy'), 'a7a8'), "Pure-White's Chief Commander is free.");
  assert.equal(brought(citadel, fen('CYcy'), fen('CYc'), 'a2a1'), "Blue-Stripe's Prince, younger is free.");
  assert.equal(brought(citadel, fen('CYcy'), fen('CYcy'), 'a2a3'), null);
});

test('Emperors are told, and the die when it falls', () => {
  assert.equal(
    brought(citadel, '1k/1K w - - - 0 1', '1k/1X w - - - 0 1', 'b1b1'),
    'All Kings are Emperors now.',
  );
  const asked = { questions: [{ name: 'ranks' }] };
  const fallen = { die: 4, questions: [{ name: 'ranks', settled: '8' }] };
  assert.equal(thrown(asked, fallen), 'The die shows 4, even: ranks 8.');
  assert.equal(thrown(undefined, fallen), null, 'it fell before');
  assert.equal(thrown(fallen, fallen), null);
});
