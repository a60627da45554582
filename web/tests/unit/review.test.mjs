// What a review says in words, and the mistake with which it opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  counted,
  faultText,
  firstMistake,
  momentText,
  moverOf,
  numbered,
  scoreText,
} from '../../src/review/words.ts';

const variant = {
  sides: { white: 'South', black: 'North' },
  pieces: [
    { letter: 'Y', name: 'Prince, younger' },
    { letter: 'Q', name: 'Queen' },
    { letter: 'E', name: 'Empress' },
  ],
};
const START = 'k7/8/8/8/8/8/8/K7 w - - 0 1';
const BLACK = 'k7/8/8/8/8/8/8/K7 b - - 0 7';

test('moves have their numbers and movers, whoever begins', () => {
  const rows = [
    [START, 0, '1. Ka2', 'white'],
    [START, 3, '2... Ka2', 'black'],
    [BLACK, 0, '7... Ka2', 'black'],
    [BLACK, 1, '8. Ka2', 'white'],
  ];
  for (const [start, ply, text, side] of rows) {
    assert.equal(numbered(start, ply, 'Ka2'), text);
    assert.equal(moverOf(start, ply), side);
  }
});

test('mistakes and moments are told by the names of the game', () => {
  const rows = [
    [{ kind: 'allowed_win', moves: 1 }, 'After this North can force a win in 1 move.'],
    [{ kind: 'missed_win', moves: 3 }, 'This missed a forced win in 3 moves.'],
    [
      { kind: 'missed_draw', ending: 'citadel' },
      'This missed a draw that was at hand (citadel), and the game is being lost.',
    ],
    [{ kind: 'lost_piece', piece: 'E' }, 'After this North can win an Empress.'],
    [{ kind: 'missed_piece', piece: 'Y' }, 'This missed the chance to win a younger Prince.'],
    [{ kind: 'worse' }, 'There was something better.'],
  ];
  for (const [fault, text] of rows)
    assert.equal(faultText(variant, { size: 'blunder', ...fault }, 'white'), text);
  const moments = [
    [{ kind: 'released', piece: 'Y' }, "South's younger Prince is freed."],
    [
      { kind: 'traversed', piece: 'Q', becomes: 'E', name: 'Traverse' },
      "South's Queen moves far within its castle (Traverse) and is an Empress from now on.",
    ],
    [{ kind: 'royal_taken', piece: 'Y' }, "South's younger Prince is captured."],
  ];
  for (const [moment, text] of moments)
    assert.equal(momentText(variant, { ply: 0, side: 'white', ...moment }), text);
  assert.equal(scoreText(variant, { mate: -2 }), 'North wins in 2 moves');
  assert.equal(scoreText(variant, { cp: 35 }), '+0.3');
});

test('a review opens at the mistake of the one who looks', () => {
  const move = (loss, size) => ({ loss, san: 'Ka2', ...(size ? { fault: { size, kind: 'worse' } } : {}) });
  const moves = [
    move(0),
    move(20, 'blunder'),
    move(6, 'inaccuracy'),
    move(0),
    move(30, 'blunder'),
    move(12, 'mistake'),
  ];
  assert.equal(firstMistake(START, moves, [1, 4, 5], null), 1);
  assert.equal(firstMistake(START, moves, [1, 4, 5], 'white'), 4);
  assert.equal(firstMistake(START, moves, [1, 5], 'white'), 4);
  assert.equal(firstMistake(START, moves.slice(0, 2), [1], 'white'), 1);
  assert.equal(firstMistake(START, [move(0)], [], 'white'), undefined);
  assert.equal(counted(START, moves, 'white'), '1 blunder, 1 inaccuracy');
  assert.equal(counted(START, [move(0)], 'black'), 'no mistakes');
});
