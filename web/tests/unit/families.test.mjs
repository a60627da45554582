// The families that Home shows, with and without what game files say of them; the games it lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difficultyText, families, familyOf, formName, lengthText } from '../../src/home/families.ts';
import { firstLesson, firstOf } from '../../src/home/first.ts';
import { bestToWatch, underWay } from '../../src/home/lists.ts';

const card = (id, name, more = {}) => ({ id, name, summary: `${name}.`, ...more });

test('a family is what the file says, or stands before a dash or a bracket', () => {
  assert.equal(familyOf(card('a', 'Citadel - 9 ranks')), 'Citadel');
  assert.equal(familyOf(card('a', 'Citadelir chess (2020, as drawn)')), 'Citadelir chess');
  assert.equal(familyOf(card('a', 'Strike 80', { customs: { family: 'TigerSquares' } })), 'TigerSquares');
  assert.equal(familyOf(card('a', 'Chess', { about: { family: 'Kin' } })), 'Kin');
  assert.equal(familyOf(card('a', 'Shatranj al-husun')), 'Shatranj al-husun');
});

test('a form is named by what the family does not say', () => {
  assert.equal(formName(card('a', 'Citadel - 9 ranks'), 'Citadel'), '9 ranks');
  assert.equal(formName(card('a', 'Citadelir chess (2024)'), 'Citadelir chess'), '2024');
  assert.equal(formName(card('a', 'Grand chess'), 'Kin'), 'Grand chess');
  assert.equal(formName(card('a', 'Chess'), 'Chess'), 'Chess');
});

test('the game whose data name a first lesson is offered first, with that lesson', () => {
  const named = card('c', 'Chess', { about: { first_lesson: 'knight' } });
  assert.equal(firstOf([card('a', 'A'), named])?.id, 'c');
  assert.equal(firstLesson(named), '/learn/c/knight');
  assert.equal(firstOf([card('a', 'A'), card('b', 'B')])?.id, 'a');
  assert.equal(firstLesson(card('a', 'A')), '/learn');
  assert.equal(firstOf([]), undefined);
  assert.equal(firstLesson(undefined), '/learn');
});

test('the forms stand together, the family of the first game leads, what is unknown is left out', () => {
  const found = families(
    [
      card('x', 'Chess', { about: { family: 'Kin', difficulty: 1, minutes: 40 } }),
      card('c9', 'Citadel - 9 ranks'),
      card('y', 'Grand chess', { about: { family: 'Kin', difficulty: 2, minutes: 50, from_chess: 'near' } }),
      card('c8', 'Citadel - 8 ranks'),
    ],
    'c9',
  );
  assert.deepEqual(
    found.map((family) => [family.name, family.forms.map((form) => form.id)]),
    [
      ['Citadel', ['c9', 'c8']],
      ['Kin', ['x', 'y']],
    ],
  );
  const [citadel, kin] = found;
  assert.deepEqual([citadel.difficulty, citadel.minutes, citadel.fromChess], [null, null, null]);
  assert.equal(citadel.summary, 'Citadel - 9 ranks.');
  assert.equal(kin.summary, 'Chess and Grand chess.');
  assert.deepEqual([kin.difficulty, kin.minutes, kin.fromChess], [[1, 2], [40, 50], 'near']);
});

test('difficulty and length in words', () => {
  assert.equal(difficultyText([2, 2]), 'fairly easy');
  assert.equal(difficultyText([1, 3]), 'easy to medium');
  assert.equal(difficultyText([0, 9]), 'easy to very demanding');
  assert.equal(lengthText([40, 40]), '40 min');
  assert.equal(lengthText([40, 90]), '40 to 90 min');
});

const game = (id, stage, more = {}) => ({
  id,
  stage,
  clock: 'none',
  players: { white: { online: false }, black: { online: false, level: 3 } },
  ...more,
});

test('own games: those to move first, what is over or called off nowhere', () => {
  const list = underWay([
    game('waits', 'waiting'),
    game('theirs', 'playing'),
    game('over', 'over', { to_move: true }),
    game('mine', 'playing', { to_move: true }),
    game('off', 'aborted'),
  ]);
  assert.deepEqual(
    list.map(({ id }) => id),
    ['mine', 'theirs', 'waits'],
  );
});

test('to watch: the first four in which both have moved, and not the own ones', () => {
  const game = (id, ply = 2) => ({ id, board: { ply } });
  const games = [game('new', 1), game('own'), game('a'), game('b', 40), game('c'), game('d'), game('e')];
  assert.deepEqual(
    bestToWatch(games, [{ id: 'own' }]).map(({ id }) => id),
    ['a', 'b', 'c', 'd'],
  );
});
