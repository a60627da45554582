// How games ended, as players and those who watch read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf, resultText } from '../../src/parts/words.ts';

const ended = (winner, reason) => ({ winner, reason, points: { white: 0, black: 0 } });
const players = { white: { name: 'Ann' }, black: { name: 'Bob' } };
const TIGERS = { sides: { white: 'South Region', black: 'North Region' } };

test('an ending names the sides as the game does', () => {
  for (const [result, text] of [
    [ended('black', 'checkmate'), 'North Region wins by checkmate'],
    [ended('white', 'time'), 'South Region wins on time'],
    [ended('white', 'abandoned'), 'South Region wins: North Region has left the game'],
    [ended(null, 'abandoned'), 'Draw: the game was abandoned'],
    [ended(null, 'agreement'), 'Draw by agreement'],
  ])
    assert.equal(resultText(result, TIGERS), text);
});

test('in a list players are named, and the reader is addressed', () => {
  for (const [result, own, text] of [
    [ended('black', 'resignation'), 'white', 'You lost by resignation'],
    [ended('black', 'resignation'), 'black', 'You won by resignation'],
    [ended('black', 'resignation'), null, 'Bob wins by resignation'],
    [ended('white', 'abandoned'), 'white', 'You won: your opponent has left'],
    [ended('white', 'abandoned'), 'black', 'You lost: you left'],
    [ended('white', 'abandoned'), undefined, 'Ann wins: Bob has left the game'],
    [ended(null, 'stalemate'), 'white', 'Draw by stalemate'],
  ])
    assert.equal(resultOf(result, players, own), text);
});
