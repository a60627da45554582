// What is drawn of a piece's targets, and what is said of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords, linesOf, screens, signOf, worthWords } from '../../src/board/marks.ts';

const target = (to, more = {}) => ({ to, capture: false, legal: true, ...more });

test('signs: what is forbidden now comes first, then acts, then captures', () => {
  assert.equal(signOf(target('e4')), 'move');
  assert.equal(signOf(target('e4', { capture: true })), 'capture');
  assert.equal(signOf(target('g1', { act: 'traverse', capture: true })), 'traverse');
  assert.equal(signOf(target('h1', { act: 'castling' })), 'castling');
  assert.equal(signOf(target('d6', { act: 'en_passant', capture: true })), 'capture');
  assert.equal(signOf(target('g1', { act: 'traverse', legal: false })), 'hollow');
});

test('lines are drawn for bent ways and for jumps over a piece, the longest of each', () => {
  const straight = [target('d5'), target('d6', { path: ['d5'] }), target('d7', { path: ['d5', 'd6'] })];
  assert.deepEqual(linesOf('d4', straight), []);
  const bent = [
    target('e6', { path: ['e5'] }),
    target('e7', { path: ['e5', 'e6'] }),
    target('f5', { path: ['e5'] }),
    target('c6', { path: ['c5'], legal: false }),
  ];
  assert.deepEqual(
    linesOf('d4', bent).map((line) => line.squares.join(' ')),
    ['d4 e5 e6 e7', 'd4 e5 f5'],
  );
  const hop = [
    target('d9', { path: ['d5', 'd6', 'd7', 'd8'], over: 'd7' }),
    target('d8', { path: ['d5', 'd6', 'd7'], over: 'd7' }),
  ];
  assert.deepEqual(
    linesOf('d4', hop).map((line) => [line.squares.at(-1), line.jumps]),
    [['d9', true]],
  );
  assert.deepEqual(screens(hop), ['d7']);
});

test('how many moves, and what a piece is worth, in words', () => {
  assert.equal(countWords([]), 'No move now.');
  assert.equal(countWords([target('a1', { legal: false })]), 'No move is allowed now.');
  assert.equal(countWords([target('a1')]), '1 move now.');
  assert.equal(
    countWords([target('a1'), target('a2'), target('a3', { capture: true })]),
    '2 moves and 1 capture now.',
  );
  assert.equal(countWords([target('a3', { capture: true })]), '1 capture now.');
  assert.deepEqual([0.5, 1, 1.5, 12].map(worthWords), [
    'worth about half a pawn',
    'worth one pawn',
    'worth about 1½ pawns',
    'worth about 12 pawns',
  ]);
});
