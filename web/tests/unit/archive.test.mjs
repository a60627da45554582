// What finished games are searched by, between address and form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDINGS, moreWishes, readWishes, SPEEDS, writeWishes } from '../../src/archive/wishes.ts';

test('wishes go through the address unchanged, and what says nothing is left out', () => {
  const query = 'player=%40me&opponent=Bob&side=white&result=won&from=2026-01-02&max_moves=30';
  const wishes = readWishes(query);
  assert.equal(writeWishes(wishes), query);
  assert.equal(moreWishes(wishes), 4);
  assert.equal(writeWishes({ ...wishes, player: ' ' }), 'from=2026-01-02&max_moves=30');
  assert.equal(
    writeWishes({ ...wishes, player: '', result: 'white', from: '', max_moves: '' }),
    'result=white',
  );
  assert.equal(writeWishes(readWishes('position=8%2F8+w&unknown=1&player=')), '');
  assert.equal(writeWishes(readWishes('variant=chess&position=8%2F8+w')), 'variant=chess&position=8%2F8+w');
});

test('every word is said once', () => {
  for (const list of [ENDINGS, SPEEDS]) {
    for (const at of [0, 1]) assert.equal(new Set(list.map((row) => row[at])).size, list.length);
  }
});
