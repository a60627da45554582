// Squares and position texts: the converter to the board widget, and the editor's form. All set-ups of all
// games go there and back.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hasState, readFen, rows, writeFen } from '../../src/analysis/fen.ts';
import { placeOf, readBoard, splitMove, squareAt, toKey, toSquare, widgetFen } from '../../src/board/keys.ts';

const games = new URL('../../../games/', import.meta.url);

/** Position texts of all set-ups, with the name of their game. */
function setups() {
  const folders = readdirSync(games).filter((name) => existsSync(new URL(`${name}/game.toml`, games)));
  return folders.flatMap((game) => {
    const text = readFileSync(new URL(`${game}/game.toml`, games), 'utf8');
    const section = /\[setups\]\n([\s\S]*?)(\n\[|$)/.exec(text)?.[1] ?? '';
    return [...section.matchAll(/^\w[\w-]* = "(.+)"$/gm)].map(([, fen]) => ({ game, fen }));
  });
}

/** Width, height and missing squares of a position text. */
function frame(fen) {
  const lines = fen.split(' ')[0].split('/');
  const missing = [];
  let files = 0;
  lines.forEach((line, row) => {
    let file = 0;
    for (const [text] of line.matchAll(/\d+|./g)) {
      if (text === '*') missing.push(squareAt(file, lines.length - 1 - row));
      file += /^\d/.test(text) ? Number(text) : 1;
    }
    files = file;
  });
  return { files, ranks: lines.length, missing };
}

describe('squares', () => {
  test('keys of the widget have one character a rank', () => {
    for (const [square, key] of [
      ['a1', 'a1'],
      ['e9', 'e9'],
      ['j10', 'j:'],
      ['k11', 'k;'],
      ['l12', 'l<'],
      ['p16', 'p@'],
    ]) {
      assert.equal(toKey(square), key);
      assert.equal(toSquare(key), square);
    }
  });

  test('places', () => {
    for (let file = 0; file < 16; file++) {
      for (let rank = 0; rank < 16; rank++) assert.deepEqual(placeOf(squareAt(file, rank)), [file, rank]);
    }
  });

  test('moves', () => {
    assert.deepEqual(splitMove('a10b11q'), { from: 'a10', to: 'b11', letter: 'q' });
    assert.deepEqual(splitMove('e8e8'), { from: 'e8', to: 'e8', letter: '' });
    for (const other of ['', 'e2', 'e2e', 'O-O', 'e2e4qq', 'z1a1']) assert.equal(splitMove(other), null);
  });
});

describe('position texts', () => {
  test('every set-up goes through the editor unchanged', () => {
    const all = setups();
    assert.ok(all.length >= 15, `${all.length} set-ups found`);
    for (const { game, fen } of all) {
      const { files, ranks, missing } = frame(fen);
      const fields = readFen(fen, hasState(fen));
      assert.equal(writeFen(fields, files, ranks, missing), fen, game);
    }
  });

  test('the widget never sees a missing square', () => {
    for (const { fen } of setups()) {
      const { files, ranks } = frame(fen);
      const shown = widgetFen(readBoard(fen), files, ranks);
      assert.doesNotMatch(shown, /\*/);
      assert.deepEqual(readBoard(shown), readBoard(fen));
    }
  });

  test('empty fields are written as they are meant', () => {
    const fields = readFen('4k3/8/8/8/8/8/8/4K3 b', false);
    assert.equal(writeFen(fields, 8, 8, []), '4k3/8/8/8/8/8/8/4K3 b - - 0 1');
    fields.castling = ' K Q ';
    fields.half = '';
    assert.equal(writeFen(fields, 8, 8, []), '4k3/8/8/8/8/8/8/4K3 b KQ - 0 1');
  });

  test('rows of a frame leave out what does not exist', () => {
    assert.deepEqual(rows(2, 2, ['b2']), [
      ['a2', undefined],
      ['a1', 'b1'],
    ]);
  });
});
