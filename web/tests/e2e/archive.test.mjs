// Finished games: found from where people look for them, by the form, and opened at the position that was searched for.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fits, isAccessible } from './lib/axe.mjs';
import { findGame, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Waits until what is finished can be found by its positions. */
async function found(page, query) {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await page.request.get(`/api/archive?${query}`);
    if ((await answer.json()).games?.length) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`nothing is found by ${query}`);
}

test('a finished game is found by its players, its result and its positions', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/');
    await (await findGame(page, 'Play Chess against the engine')).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await grid(page).waitFor();
    await move(page, 'e2e4');
    await waitForPly(page, 2);
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.getByRole('link', { name: 'Games with this position' }).waitFor();
    await page.getByRole('link', { name: 'My games' }).click();
    await page.getByRole('link', { name: 'Search all your finished games' }).click();
    await page.getByRole('heading', { name: 'Finished games' }).waitFor();
    await page.getByText('One game, and no more.').waitFor();
    await page.getByRole('listitem').getByText('wins by resignation').waitFor();
    await isAccessible(page);
    // By the form, with the keyboard alone.
    await page.getByLabel('Result').focus();
    await page.keyboard.type('You won');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Search' }).press('Enter');
    await page.getByText('No such game was found.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('result'), 'won');
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption({ label: 'Chess' });
    await page.getByText('More to search by').click();
    await page.getByLabel('How it ended').selectOption('resignation');
    await page.getByLabel('Moves, at most').fill('1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('One game, and no more.').waitFor();
    const save = page.getByRole('link', { name: 'Save all as PGN' });
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    assert.equal(download.suggestedFilename(), 'husun-archive.pgn');
    const text = await readFile(await download.path(), 'utf8');
    assert.match(text, /1\. e4 /);
    // A position that the game has passed.
    const start = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq';
    const snapshot = await page.request.get(
      `/api/games/${(await page.getByRole('listitem').getByRole('link').getAttribute('href')).split('/').pop()}`,
    );
    const after = (await snapshot.json()).moves[0].fen;
    assert.ok(after.startsWith(start), after);
    const query = `variant=chess&position=${encodeURIComponent(after.replace(/\d+ \d+$/, '7 31'))}`;
    await found(page, query);
    await page.goto(`/archive?${query}`);
    await page.getByRole('img', { name: 'The position that is searched for' }).waitFor();
    await isAccessible(page);
    await page.getByRole('listitem').getByRole('link').click();
    await page.getByText(after.replace(/ \d+ \d+$/, '')).waitFor();
    await page.getByRole('link', { name: 'Games with this position' }).click();
    await page.getByText('One game, and no more.').waitFor();
    // What makes no sense is told.
    person.allowed.push(/status of 400/);
    await page.goto('/archive?from=yesterday');
    await page.getByRole('alert').getByText('expected a day').waitFor();
  });
  for (const options of [PHONE, { viewport: { width: 844, height: 390 }, colorScheme: 'dark' }]) {
    const other = await here.person(options);
    await visit(other, async (page) => {
      await page.goto('/');
      await page.getByRole('link', { name: 'Search finished games' }).click();
      await page.getByText('One game, and no more.').waitFor();
      await page.getByText('More to search by').click();
      await fits(page);
    });
  }
});
