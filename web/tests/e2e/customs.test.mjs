// What players agree on before a game: the die of Citadel, the choices of TigerSquares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGame, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** Makes a family's game on the page as White; the friend opens the link. Gives the game's id. */
async function meet(page, other, card) {
  await page.goto('/');
  await (await findGame(page, `Play a friend: ${card}`)).click();
  await page.getByRole('radio', { name: /the match customs decide/ }).check();
  await page.getByRole('dialog').locator('button[type="submit"]').click();
  await page.waitForURL(/\/game\//);
  const link = await page.getByLabel('Send this link to your friend').inputValue();
  await other.goto(link);
  return new URL(link).pathname.split('/').pop();
}

test('Citadel: the players differ, the die decides and both see it', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      const id = await meet(page, other, 'Citadel - 9 ranks');
      const asked = (on) => on.getByRole('region', { name: 'Match customs' });
      await asked(page).getByRole('button', { name: '8', exact: true }).click();
      await asked(other).getByRole('button', { name: '9', exact: true }).click();
      await page.getByRole('grid').waitFor();
      await other.getByRole('grid').waitFor();
      const { now, variant } = await south.snapshot(id);
      assert.ok(now.customs.die >= 1 && now.customs.die <= 6);
      assert.equal(variant, now.customs.die % 2 ? 'citadel9' : 'citadel8');
      for (const on of [page, other])
        await on
          .getByText(new RegExp(`The die show(s|ed) ${now.customs.die}`))
          .first()
          .waitFor();
      await move(page, 'e2e4');
      await waitForPly(other, 1);
    }),
  );
});

test('Citadel: the players agree, no die is thrown', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      const id = await meet(page, other, 'Citadel - 9 ranks');
      for (const on of [other, page]) {
        await on
          .getByRole('region', { name: 'Match customs' })
          .getByRole('button', { name: '8', exact: true })
          .click();
      }
      await page.getByRole('grid').waitFor();
      const { now, variant } = await south.snapshot(id);
      assert.equal(now.customs.die ?? null, null);
      assert.equal(variant, 'citadel8');
    }),
  );
});

test('TigerSquares: South chooses Crossfire, then North the 100 board; a Counsellor is appointed', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      const id = await meet(page, other, 'TigerSquares Strike 80');
      const asked = (on) => on.getByRole('region', { name: 'Match customs' });
      assert.equal(await asked(other).getByRole('button').count(), 0, 'North is not asked first');
      await asked(page)
        .getByRole('button', { name: /crossfire/i })
        .click();
      await asked(other).getByRole('button', { name: '100', exact: true }).click();
      await page.getByRole('grid').waitFor();
      assert.equal((await south.snapshot(id)).variant, 'crossfire100');
      await page.getByRole('button', { name: 'Appoint the engine' }).click();
      await page.getByText('Your Counsellor is the engine').waitFor();
    }),
  );
});
