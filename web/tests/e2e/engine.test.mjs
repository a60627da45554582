// Whole games against the engine, by pointer and by keyboard.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { advice, findGame, move, seeded, waitForPly, waitForTurn } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** For whole games: turns at most, and thought for each in milliseconds. */
const LONG = { most: 150, patience: 300 };

/** Plays until the game is over: chance moves for so many turns, then good ones. `how` is by what, turn by turn. */
async function play(page, person, id, side, how, { chance = 0, seed = 1, most, patience }) {
  const { variant } = await person.snapshot(id);
  const detail = await (await person.context.request.get(`/api/variants/${variant}`)).json();
  const random = seeded(seed);
  for (let turn = 0; turn < most; turn++) {
    const game = await waitForTurn(person, id, side);
    if (game.now.stage !== 'playing') return game;
    const { legal, ply } = game.now;
    if (ply > 0) await waitForPly(page, ply);
    const fen = game.moves.at(-1)?.fen ?? game.start;
    const uci =
      turn < chance ? legal[Math.floor(random() * legal.length)] : await advice(page, variant, fen, patience);
    await move(page, uci, { by: how[turn % how.length], legal, detail });
    await waitForPly(page, ply + 1);
  }
  assert.fail(`no end in ${most} moves`);
}

describe('against the engine', () => {
  test('chess: three clicks from Home, by click and drag to checkmate', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      await page.goto('/');
      await (await findGame(page, 'Play Chess against the engine')).click();
      await page.getByRole('dialog').locator('button[type="submit"]').click();
      await page.waitForURL(/\/game\/[^/#]+$/);
      const id = page.url().split('/').pop();
      const game = await play(page, person, id, 'white', ['click', 'drag'], { chance: 3, seed: 7, ...LONG });
      assert.equal(game.now.result.reason, 'checkmate');
      assert.equal(game.now.result.winner, 'white');
      await page.getByText('by checkmate').waitFor();
      // The game stays to be looked through and taken away.
      await page.getByRole('button', { name: 'First position' }).click();
      await page.getByRole('button', { name: "Back to the game's end" }).click();
      const pgn = await person.context.request.get(`/api/games/${id}/pgn`);
      assert.match(await pgn.text(), /\[Variant "chess"\]/);
    });
  });

  test('Citadelir 2024: by keyboard alone on the 12x12 board to its end', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const { id, seat } = await person.makeGame({ variant: 'citadelir2024', level: 1, side: 'black' });
      await page.goto(`/game/${id}#${seat}`);
      const first = await waitForTurn(person, id, 'black');
      // A typed move, too.
      await page.getByRole('textbox', { name: 'Type a move' }).focus();
      await page.keyboard.type(first.now.legal[0]);
      await page.keyboard.press('Enter');
      await waitForPly(page, first.now.ply + 1);
      const game = await play(page, person, id, 'black', ['keyboard'], LONG);
      assert.equal(game.now.result.winner, 'black');
      await page.getByText(`by ${game.now.result.reason}`).waitFor();
    });
  });

  test('Citadel, 9 ranks: by clicks to the end, with its points', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const { id, seat } = await person.makeGame({ variant: 'citadel9', level: 1, side: 'white' });
      await page.goto(`/game/${id}#${seat}`);
      const game = await play(page, person, id, 'white', ['click'], LONG);
      const { winner, reason, points } = game.now.result;
      assert.equal(winner, 'white');
      assert.ok(points.white > points.black, JSON.stringify(points));
      await page.getByText(`by ${reason}`).waitFor();
      await page.getByText(`${points.white} : ${points.black}`).waitFor();
    });
  });

  test('TigerSquares Strike 80: by keyboard to the end', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const { id, seat } = await person.makeGame({ variant: 'strike80', level: 1, side: 'black' });
      await page.goto(`/game/${id}#${seat}`);
      const game = await play(page, person, id, 'black', ['keyboard'], LONG);
      const { winner, reason } = game.now.result;
      assert.equal(winner, 'black');
      await page.getByText(`by ${reason}`).waitFor();
    });
  });

  test('Citadel, 9 ranks: checkmate is worth three points', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const fen = '4k4/9/9/9/9/9/9/W7W/4K4 w - - - 0 1';
      const { id, seat } = await person.makeGame({ variant: 'citadel9', level: 1, side: 'white', fen });
      await page.goto(`/game/${id}#${seat}`);
      const game = await play(page, person, id, 'white', ['click'], { most: 20 });
      assert.deepEqual(game.now.result, {
        winner: 'white',
        reason: 'checkmate',
        points: { white: 3, black: 0 },
      });
      await page.getByText('by checkmate').waitFor();
      await page.getByText('3 : 0').waitFor();
    });
  });
});
