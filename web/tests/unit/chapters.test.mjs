// The chapters of a rules page and what stands in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byPresence, dressed, layout } from '../../src/rules/chapters.ts';

const chapter = (id) => ({ id, title: id, html: '' });
const ids = (chapters) => chapters.map((one) => one.id);

test("the first chapter is the first screen, the programmers' comes last wherever it stands", () => {
  const parts = layout(['', 'in-short', 'for-programmers', 'board', 'pieces'].map(chapter));
  assert.equal(parts.lead.id, '');
  assert.equal(parts.essentials.id, 'in-short');
  assert.deepEqual(ids(parts.middle), ['board', 'pieces']);
  assert.equal(parts.programmers.id, 'for-programmers');
  assert.equal(layout([chapter('object')]).programmers, undefined);
});

test('a text without a beginning has no lead, one without chapters nothing to be read first', () => {
  const parts = layout([chapter('object'), chapter('board')]);
  assert.equal(parts.lead, undefined);
  assert.equal(parts.essentials.id, 'object');
  assert.equal(layout([chapter('')]).essentials, undefined);
});

test("pictures of the text have the page's colours and pieces, other pictures do not", () => {
  const html = '<img src="/api/variants/chess/diagram/12.svg" alt="x" /><img src="/other.svg" />';
  const look = { theme: 'dark', set: 'letters', board: 'wood' };
  const shown = dressed(html, look);
  assert.match(shown, /diagram\/12\.svg\?theme=dark&amp;set=letters&amp;board=wood" alt/);
  assert.match(shown, /"\/other\.svg"/);
  assert.equal(dressed('<tr><th></th><th>One</th></tr>', look), '<tr><td></td><th>One</th></tr>');
});

test('kinds that a set-up lacks stand apart', () => {
  const variant = { pieces: ['K', 'R', 'C'].map((letter) => ({ letter })) };
  const { here, later } = byPresence(variant, 'k3/4/4/R2K w - - C 0 1');
  assert.deepEqual(
    [here, later].map((list) => list.map((kind) => kind.letter)),
    [['K', 'R'], ['C']],
  );
});
