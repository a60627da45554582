// What tables of perfect play know, in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsTo, menOf, whoWins } from '../../src/analysis/tables.ts';

const variant = { sides: { white: 'South', black: 'North' } };

test('men are counted, not missing squares and not what else a text has', () => {
  assert.equal(menOf('8/8/8/3k4/8/8/8/KR6 w KQkq - 0 1'), 3);
  assert.equal(menOf('**10**/*k9*/K9R1 b - - CYcy 0 1'), 3);
  assert.equal(menOf(''), 0);
});

test('who wins has the name of the side', () => {
  const verdict = (outcome, distance, late = false) => ({ outcome, distance, late });
  assert.equal(whoWins(variant, 'white', verdict('won', 17)), 'South wins in 17 half-moves');
  assert.equal(whoWins(variant, 'white', verdict('lost', 1)), 'North wins in 1 half-move');
  assert.equal(
    whoWins(variant, 'black', verdict('won', 30, true)),
    'North wins in 30 half-moves, if the move rule does not draw before',
  );
  assert.equal(whoWins(variant, 'black', verdict('drawn', 0)), 'Drawn with best play');
});

test('a move leads somewhere for the side that makes it', () => {
  assert.equal(leadsTo({ outcome: 'won', distance: 17 }), 'wins in 17');
  assert.equal(leadsTo({ outcome: 'lost', distance: 12 }), 'loses in 12');
  assert.equal(leadsTo({ outcome: 'drawn', distance: 0 }), 'draws');
});
