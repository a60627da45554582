// Tournaments: made, joined, played to the end by two people, and what the page says of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { grid } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Plays the first legal move that is there. */
async function moveAtAll(page) {
  const box = page.getByRole('textbox', { name: /move/i });
  await box.waitFor();
  const id = new URL(page.url()).pathname.split('/')[2];
  const game = await page.evaluate(async (id) => (await fetch(`/api/games/${id}`)).json(), id);
  await box.fill(game.now.legal[0]);
  await box.press('Enter');
}

test('a tournament is made on its page, joined, and called off', async () => {
  const [one, guest] = [await here.person(), await here.person(PHONE)];
  guest.allowed = [/404 \(Not Found\)/];
  await visit(one, async (page) => {
    await register(page, 'Maker');
    await page.goto('/');
    await page.getByRole('link', { name: 'Tournaments' }).click();
    await page.getByText('No tournament is open').waitFor();
    await page.getByRole('button', { name: 'Make a tournament' }).click();
    await page.getByLabel('Name').fill('Evening cup');
    await page.getByLabel('Who meets whom').selectOption('swiss');
    await page.getByLabel('Another game').selectOption('shatranj');
    await page.getByRole('button', { name: 'Add this game' }).click();
    await page.getByLabel('If the number of players is odd').selectOption('2');
    await fits(page);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'Evening cup' }).waitFor();
    await page.getByText('Swiss, 5 rounds').waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('table').getByText('Maker').waitFor();
    await fits(page);
    await visit(guest, async (phone) => {
      await phone.goto('/tournament/nothing');
      await phone.getByText('There is no such tournament.').waitFor();
      await fits(phone);
      await phone.getByRole('link', { name: 'All tournaments' }).click();
      await phone.getByRole('link', { name: 'Evening cup' }).click();
      await phone.getByRole('link', { name: 'Sign in to join' }).waitFor();
      await fits(phone);
    });
    await page.getByRole('button', { name: 'Call it off' }).click();
    await page.getByText('It did not take place').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Join' }).count(), 0);
  });
});

test('two play a tournament to its end, and the winner has the title', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  await visit(one, async (page) => {
    await register(page, 'Tiger');
    await visit(other, async (phone) => {
      await register(phone, 'Cub');
      // The page begins tournaments in two minutes at the soonest.
      const id = await page.evaluate(async () => {
        const wish = {
          name: 'Tiger day',
          kind: { round_robin: {} },
          games: ['strike80'],
          clock: 'fischer:5m+3s',
          starts_ms: Date.now() + 6000,
          scoring: 'game_points',
        };
        const body = JSON.stringify(wish);
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch('/api/tournaments', { method: 'POST', body, headers });
        return (await answer.json()).id;
      });
      for (const browser of [page, phone]) {
        await browser.goto(`/tournament/${id}`);
        await browser.getByRole('button', { name: 'Join' }).click();
        await browser.getByRole('button', { name: 'Leave' }).waitFor();
      }
      // Both are taken to their game.
      await Promise.all([page.waitForURL('**/game/*'), phone.waitForURL('**/game/*')]);
      await Promise.all([grid(page).waitFor(), grid(phone).waitFor()]);
      await page.getByText(/first move within \d/).waitFor();
      const first = (await page.getByText('Your turn').count()) ? [page, phone] : [phone, page];
      for (const browser of first) await moveAtAll(browser);
      await phone.getByRole('button', { name: 'Resign' }).click();
      await phone.getByRole('button', { name: /^Yes/ }).click();
      await page.getByRole('link', { name: 'Back to the tournament' }).click();
      await page.getByText('It is over. Tiger has won.').waitFor();
      await page.getByRole('row', { name: /1 Tiger .* 1 0 0/ }).waitFor();
      await fits(page);
      await page.goto('/person/Tiger');
      await page.getByText('TigerGuard').waitFor();
      await page.getByRole('link', { name: 'Tiger day' }).waitFor();
    });
  });
});
