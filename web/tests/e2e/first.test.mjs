// Somebody who never saw the site is in a rated game against a level within a minute: the presses are counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** From the first page to the board: a name, a password, a level. On a phone what is offered is opened first. */
async function toTheBoard(page, name) {
  const start = Date.now();
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('radio', { name: /password/ }).check();
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByLabel('I have kept them').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('link', { name: 'Husun', exact: true }).click();
  const level = page.getByRole('button', { name: /^Level 1 / });
  const opener = page.getByRole('button', { name: /level of the engine/ });
  await level.or(opener).first().waitFor();
  if (await opener.count()) await opener.click();
  await page.getByRole('checkbox', { name: /^Rated/ }).check();
  await level.click();
  await grid(page).waitFor();
  return (Date.now() - start) / 1000;
}

for (const [where, look] of [
  ['at a desk', {}],
  ['on a phone', PHONE],
])
  test(`from the first page to a rated game, ${where}`, async (t) => {
    const person = await here.person(look);
    await visit(person, async (page) => {
      // Presses of one's own; typing the name and the password is not among them.
      let presses = 0;
      await page.exposeFunction('pressed', () => (presses += 1));
      await page.addInitScript(() => {
        addEventListener('pointerdown', (event) => event.isTrusted && globalThis.pressed(), {
          capture: true,
        });
      });
      const seconds = await toTheBoard(page, look === PHONE ? 'Phone' : 'Desk');
      t.diagnostic(`${presses} presses, ${seconds.toFixed(1)} s by a script`);
      assert.ok(presses <= 10, `${presses} presses`);
      // It is rated, and goes on.
      await page.locator('.rating', { hasText: '1500?' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').pop();
      const game = await person.snapshot(id);
      assert.equal(game.rated, true);
      if (game.own === 'white') await move(page, game.now.legal[0].slice(0, 4));
      await waitForPly(page, 1);
    });
  });
