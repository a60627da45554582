// Prepared answers as lines: what is left of them, and what takes the place of what.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restOf, withLine } from '../../src/parts/plan.ts';

const moves = (...all) => all.map((uci) => ({ uci, san: uci, fen: '' }));

test('what is left of the lines is what the game has not come to yet', () => {
  const plan = {
    ply: 1,
    lines: [
      ['e7e5', 'g1f3', 'b8c6', 'f1b5'],
      ['c7c5', 'g1f3'],
    ],
  };
  assert.deepEqual(restOf(null, moves('e2e4')), []);
  assert.deepEqual(restOf(plan, moves('e2e4')), plan.lines);
  assert.deepEqual(restOf(plan, moves('e2e4', 'e7e5', 'g1f3')), [['b8c6', 'f1b5']]);
  assert.deepEqual(restOf(plan, moves('e2e4', 'c7c5', 'g1f3')), []);
  assert.deepEqual(restOf(plan, moves('e2e4', 'd7d5')), []);
});

test('a line takes the place of its beginning and of other answers, and stands beside other moves', () => {
  const short = ['e7e5', 'g1f3'];
  const long = ['e7e5', 'g1f3', 'b8c6', 'f1b5'];
  const other = ['e7e5', 'b1c3'];
  const beside = ['c7c5', 'g1f3'];
  assert.deepEqual(withLine([short, beside], long), [beside, long]);
  assert.deepEqual(withLine([long], other), [other]);
  assert.deepEqual(withLine([long], short), [long, short]);
  assert.deepEqual(withLine([beside], short), [beside, short]);
});
