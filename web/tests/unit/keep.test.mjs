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
  state: [
    { letter: 'C', stands: '', goes: "Pure-White's Chief Commander is free." },
    { letter: 'y', stands: '', goes: "Blue-Stripe's Prince, younger is free." },
    { letter: 'X', stands: '', comes: 'All Kings are Emperors now.' },
    { letter: 'S', stands: 'Blue has castled.' },
  ],
};

test('what comes and goes in the state field is told, a common move is not', () => {
  const fen = (state) => `9/9 w - - ${state} 0 1`;
  const told = (before, after) => brought(citadel, fen(before), fen(after));
  assert.equal(told('Cy', 'y'), "Pure-White's Chief Commander is free.");
  assert.equal(told('Cy', 'C'), "Blue-Stripe's Prince, younger is free.");
  assert.equal(told('-', 'X'), 'All Kings are Emperors now.');
  assert.equal(told('-', 'S'), null);
  assert.equal(told('Cy', 'Cy'), null);
});

test('the die is told when it falls', () => {
  const asked = { questions: [{ name: 'ranks' }] };
  const fallen = { die: 4, questions: [{ name: 'ranks', settled: '8' }] };
  assert.equal(thrown(asked, fallen), 'The die shows 4, even: ranks 8.');
  assert.equal(thrown(undefined, fallen), null, 'it fell before');
  assert.equal(thrown(fallen, fallen), null);
});
