// Rated games: from a fresh browser to one in a few clicks, what they change, and how others see it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, violations } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { findGame, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a rated game against a level changes the rating, which everybody can see', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await register(page, 'Rated_1');
    await page.goto('/');
    await (await findGame(page, 'Play Chess against the engine')).click();
    // The lobby behind it has one of that name, too.
    const rated = page.getByRole('dialog').getByRole('checkbox', { name: /^Rated/ });
    await rated.waitFor();
    assert.ok(await rated.isDisabled(), 'without a clock nothing is rated');
    await page.getByRole('combobox', { name: 'Clock' }).selectOption('fischer:10m+5s');
    await rated.check();
    await page.getByRole('button', { name: 'Start' }).click();
    await grid(page).waitFor();
    await page.locator('.rating', { hasText: '1500?' }).waitFor();
    await move(page, 'e2e4');
    await waitForPly(page, 2);
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.locator('.rating .down').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('link', { name: 'Rated_1', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Rated_1' }).waitFor();
    await page.getByText('one game').waitFor();
    assert.deepEqual(await violations(page), []);
  });
  const other = await here.person(PHONE);
  await visit(other, async (page) => {
    await page.goto('/person/rated_1');
    await page.getByText('rapid').waitFor();
    await page.getByRole('link', { name: 'Chess', exact: true }).click();
    await page.getByRole('heading', { name: 'Best players of Chess' }).waitFor();
    // One game is too few to be among them.
    await page.getByText('Nobody yet.').first().waitFor();
    await fits(page);
    // Whoever knows nobody finds the lists from the first page.
    await page.goto('/');
    await page.getByRole('link', { name: 'Best players', exact: true }).click();
    await page.getByRole('heading', { name: 'Best players', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Citadel - 9 ranks', exact: true }).click();
    await page.getByRole('heading', { name: 'Best players of Citadel - 9 ranks' }).waitFor();
    await fits(page);
    await page.getByRole('link', { name: 'Best players of other games' }).click();
    await page.getByRole('link', { name: 'Chess', exact: true }).waitFor();
    await fits(page);
  });
});
