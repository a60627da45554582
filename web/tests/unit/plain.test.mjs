// What the server says of moves and games that it cannot take, in words for people; the end of a game.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainMove, plainPgn } from '../../src/parts/plain.ts';
import { verdict } from '../../src/parts/words.ts';

test('a move that is none, one that cannot be played, one that is not clear', () => {
  assert.equal(
    plainMove('`hello` is no move: expected a form such as Nf3, exd5, Rae12, b8=Q, O-O or K=X'),
    '“hello” is not a move. Write it as Nf3, exd5 or e2e4.',
  );
  // The server tries it as two squares last, and says so of whatever else is written.
  for (const text of ['Ke9', 'exd5', 'O-O', 'b8=Q', 'Rae12']) {
    const told = plainMove(
      `\`${text}\` is no move: expected from-square, to-square and perhaps a small letter`,
    );
    assert.equal(told, `“${text}” cannot be played here.`);
  }
  assert.equal(plainMove('move 1: `e2e5` is not legal here'), '“e2e5” cannot be played here.');
  assert.equal(plainMove('`Qh6` fits no legal move'), '“Qh6” cannot be played here.');
  assert.match(plainMove('`Rd1` could be a1d1, f1d1'), /could mean a1d1, f1d1/);
  assert.equal(plainMove('something else'), 'Something else.');
});

test('a game that cannot be read says where, and what to do', () => {
  assert.equal(plainPgn('move 3... `Qh6` fits no legal move').includes('Move 3 of the second side'), true);
  assert.match(
    plainPgn(
      'PGN: line 1, column 16: found the end of the text, expected the result of the game: 1-0, 0-1, 1/2-1/2 or *',
    ),
    /^Line 1, character 16: the game has no result/,
  );
  assert.match(
    plainPgn('PGN: line 1, column 7: the variation that begins here has no end, expected )'),
    /never closed/,
  );
  assert.equal(plainPgn('PGN: line 2, column 1: odd'), 'Line 2, character 1: Odd.');
});

test('the end of a game is told to each player as it is', () => {
  const won = { winner: 'white', reason: 'checkmate', points: { white: 1, black: 0 } };
  assert.equal(verdict(won, 'white').head, 'You won!');
  assert.equal(verdict(won, 'black').head, 'You lost');
  assert.equal(verdict({ ...won, winner: null }, 'black').head, 'A draw');
  assert.equal(verdict(won, null), null);
});
