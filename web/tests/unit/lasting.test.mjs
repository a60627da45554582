// Moves that change their piece for good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actOf } from '../../src/parts/lasting.ts';

const variant = { lasting: [{ piece: 'Q', becomes: 'E', name: 'Traverse', warning: '' }] };
const fen = '3q1/4f/5/2F2/3Q1 b - - - 0 1';

test('a move is such an act by its piece and what it becomes, for both sides', () => {
  assert.equal(actOf(variant, fen, 'd1b2e')?.name, 'Traverse');
  assert.equal(actOf(variant, fen, 'd5b4e')?.name, 'Traverse');
  assert.equal(actOf(variant, fen, 'd1d2'), undefined);
  assert.equal(actOf(variant, fen, 'c2c3e'), undefined, 'a pawn that promotes');
  assert.equal(actOf(variant, fen, 'd1d1'), undefined);
  assert.equal(actOf({ lasting: [] }, fen, 'd1b2e'), undefined);
});
