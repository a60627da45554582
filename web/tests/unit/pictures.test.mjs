// Boards as pictures: the bare board with its regions, and a board turned for Black.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS, groundSvg } from '../../src/board/ground.ts';
import { turned } from '../../src/parts/turned.ts';

const board = {
  id: 'x',
  files: 2,
  ranks: 2,
  missing: ['b2'],
  regions: [{ id: 'r', name: 'Castle', squares: ['a1', 'b1'], color: '#454545' }],
};

test('every set of colours draws every square once, the missing one not at all', () => {
  for (const colors of Object.keys(BOARDS)) {
    for (const theme of ['light', 'dark']) {
      const svg = groundSvg(board, colors, theme);
      const { light, dark } = BOARDS[colors][theme === 'light' ? 'onLight' : 'onDark'];
      const field = (fill) => new RegExp(`<path d="([^"]*)" fill="${fill}"`).exec(svg)[1];
      assert.equal(field(dark), 'M0 100h100v100h-100z', 'a1 alone is dark');
      assert.equal(field(light), 'M100 100h100v100h-100zM0 0h100v100h-100z');
    }
  }
});

test('a region has a line round all its squares and none between them', () => {
  const svg = groundSvg(board, 'green', 'light');
  const line = /<path d="([^"]*)" fill="none" stroke="#ffffffcc"/.exec(svg)[1];
  assert.equal(line, 'M0 100h100M0 200h100M0 100v100M100 100h100M100 200h100M200 100v100');
});

test('turned for Black: the board goes round, every piece stands upright', () => {
  const svg =
    '<svg a="1"><defs><g id="p"><path d="M0 0"/></g></defs>\n<g transform="translate(28 8) scale(0.64)">\n' +
    '<path d="M0 0h100"/>\n<use xlink:href="#p" x="0" y="700"/>\n</g>\n<g id="letter">a</g></svg>';
  const made = turned(svg, 8, 8);
  assert.ok(made.includes('<g transform="rotate(180 400 400)">'));
  assert.ok(made.includes('x="0" y="700" transform="rotate(180 50 750)"/>'));
  assert.equal(made.includes('letter'), false);
  assert.equal(made.split('<g').length, made.split('</g>').length, 'what is opened is closed');
});
