// Whole games against the engine, by pointer and by keyboard.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { advice, move, seeded, waitForPly, waitForTurn } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** Plays chance moves for so many turns; gives the game as it stands then. */
async function wander(page, person, id, side, turns, seed, how) {
  const detail = await (
    await person.context.request.get(`/api/variants/${(await person.snapshot(id)).variant}`)
  ).json();
  const chance = seeded(seed);
  for (let turn = 0; turn < turns; turn++) {
    const game = await waitForTurn(person, id, side);
    if (game.now.stage !== 'playing') return game;
    const { legal, ply } = game.now;
    if (ply > 0) await waitForPly(page, ply);
    await move(page, legal[Math.floor(chance() * legal.length)], {
      by: how[turn % how.length],
      legal,
      detail,
    });
    await waitForPly(page, ply + 1);
  }
  return waitForTurn(person, id, side);
}

/** Plays good moves until the game is over. */
async function win(page, person, id, side, by, most = 20) {
  for (let turn = 0; turn < most; turn++) {
    const game = await waitForTurn(person, id, side);
    if (game.now.stage !== 'playing') return game;
    if (game.now.ply > 0) await waitForPly(page, game.now.ply);
    const fen = game.moves.at(-1)?.fen ?? game.start;
    const uci = await advice(page, game.variant, fen);
    await move(page, uci, { by, legal: game.now.legal });
    await waitForPly(page, game.now.ply + 1);
  }
  assert.fail(`no win in ${most} moves`);
}

async function resign(page) {
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes, resign' }).click();
}

describe('against the engine', () => {
  test('chess: two clicks from Home, moves by click and drag, resigned', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      await page.goto('/');
      await page.getByRole('button', { name: 'Play Chess against the engine' }).click();
      await page.getByRole('dialog').locator('button[type="submit"]').click();
      await page.waitForURL(/\/game\/[^/#]+$/);
      const id = page.url().split('/').pop();
      const game = await wander(page, person, id, 'white', 8, 7, ['click', 'drag']);
      assert.equal(game.now.ply >= 16 || game.now.stage === 'over', true);
      if (game.now.stage === 'playing') await resign(page);
      await page.getByText('by resignation').waitFor();
      assert.equal((await person.snapshot(id)).now.result.winner, 'black');
      // The game stays to be looked through and taken away.
      await page.getByRole('button', { name: 'First position' }).click();
      await page.getByRole('button', { name: "Back to the game's end" }).click();
      const pgn = await person.context.request.get(`/api/games/${id}/pgn`);
      assert.match(await pgn.text(), /\[Variant "chess"\]/);
    });
  });

  test('Citadelir 2024: keyboard alone on the 12x12 board, resigned by keyboard', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const { id, seat } = await person.makeGame({ variant: 'citadelir2024', level: 1, side: 'black' });
      await page.goto(`/game/${id}#${seat}`);
      const game = await wander(page, person, id, 'black', 3, 11, ['keyboard']);
      assert.equal(game.now.stage, 'playing');
      // A typed move, too.
      await page.getByRole('textbox', { name: 'Type a move' }).focus();
      await page.keyboard.type(game.now.legal[0]);
      await page.keyboard.press('Enter');
      await waitForPly(page, game.now.ply + 1);
      await page.getByRole('button', { name: 'Resign' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByText('by resignation').waitFor();
    });
  });

  test('Citadel, 9 ranks: by clicks to checkmate, three points', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const fen = '4k4/9/9/9/9/9/9/W7W/4K4 w - - - 0 1';
      const { id, seat } = await person.makeGame({ variant: 'citadel9', level: 1, side: 'white', fen });
      await page.goto(`/game/${id}#${seat}`);
      const game = await win(page, person, id, 'white', 'click');
      assert.deepEqual(game.now.result, {
        winner: 'white',
        reason: 'checkmate',
        points: { white: 3, black: 0 },
      });
      await page.getByText('by checkmate').waitFor();
      await page.getByText('3 : 0').waitFor();
    });
  });

  test('TigerSquares Strike 80: by keyboard to checkmate', async () => {
    const person = await here.person();
    await visit(person, async (page) => {
      const fen = '4q5/10/10/10/10/10/B8B/4Q5 w - - - 0 1';
      const { id, seat } = await person.makeGame({ variant: 'strike80', level: 1, side: 'white', fen });
      await page.goto(`/game/${id}#${seat}`);
      const game = await win(page, person, id, 'white', 'keyboard');
      assert.equal(game.now.result.winner, 'white');
      assert.equal(game.now.result.reason, 'checkmate');
      await page.getByText('by checkmate').waitFor();
    });
  });
});
