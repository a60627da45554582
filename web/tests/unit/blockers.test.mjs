// The arrangement of a move diagram.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carry, cycle, middle, squaresOf } from '../../src/rules/blockers.ts';

const empty = { at: 'd4', blockers: new Map() };
const shape = (from) => [from.at, Object.fromEntries(from.blockers)];

test('a square is empty, then an enemy, then one of the own side, then empty', () => {
  const enemy = cycle(empty, 'd6');
  const own = cycle(enemy, 'd6');
  assert.deepEqual(shape(enemy), ['d4', { d6: 'enemy' }]);
  assert.deepEqual(shape(own), ['d4', { d6: 'own' }]);
  assert.deepEqual(shape(cycle(own, 'd6')), shape(empty));
  assert.deepEqual(shape(empty), ['d4', {}], 'what was given is left as it is');
});

test('the piece and its blockers are carried; what stood there goes', () => {
  const two = cycle(cycle(empty, 'a1'), 'd6');
  assert.deepEqual(shape(carry(two, 'd4', 'd6')), ['d6', { a1: 'enemy' }]);
  assert.deepEqual(shape(carry(two, 'a1', 'd6')), ['d4', { d6: 'enemy' }]);
  assert.deepEqual(shape(carry(two, 'a1', undefined)), ['d4', { d6: 'enemy' }]);
  assert.equal(carry(two, 'a1', 'd4'), two);
  assert.equal(carry(two, 'd4', undefined), two);
  assert.equal(carry(two, 'h8', 'h7'), two);
  assert.deepEqual(squaresOf(cycle(two, 'a1'), 'own'), ['a1']);
});

test('the middle is a square that exists', () => {
  assert.equal(middle({ files: 8, ranks: 8, missing: [] }), 'd4');
  assert.notEqual(middle({ files: 8, ranks: 8, missing: ['d4'] }), 'd4');
});
