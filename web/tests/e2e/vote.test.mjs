// A Balanced Vote of three people on the pages, from the call to what is declared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const ACROSS = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true, colorScheme: 'dark' };

async function shown(page, name) {
  if (process.env.HUSUN_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.HUSUN_SCREENSHOTS}/vote-${name}.png`, fullPage: true });
}

test('a vote is called on its page, voted in, changed and called off', async () => {
  const [one, guest] = [await here.person(), await here.person(PHONE)];
  guest.allowed = [/404 \(Not Found\)/];
  await visit(one, async (page) => {
    await register(page, 'Speaker');
    await page.goto('/');
    await page.getByRole('link', { name: 'Votes' }).click();
    await page.getByText('No vote is open').waitFor();
    await page.getByRole('button', { name: 'Call a vote' }).click();
    await page.getByLabel('Question').fill('Game of the month?');
    await page.getByLabel('More about it').fill('Played on Sundays.');
    await page.getByRole('combobox', { name: 'A game' }).selectOption('strike80');
    await page.getByRole('button', { name: 'Add this game' }).click();
    await page.getByLabel('Candidate 2', { exact: true }).fill('No game at all');
    await page.getByRole('button', { name: 'One more' }).click();
    await page.getByLabel('Candidate 3', { exact: true }).fill('Whatever comes');
    await fits(page);
    await shown(page, 'call');
    await page.getByRole('button', { name: 'Call the vote' }).click();
    await page.getByRole('heading', { name: 'Game of the month?' }).waitFor();
    await page.getByText('Nobody has voted').waitFor();
    // By keyboard: a tick, and a cross that moves the tick away from the same candidate.
    const tick = page.getByLabel('Tick for Whatever comes');
    await tick.focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Cross against Whatever comes').check();
    assert.equal(await tick.isChecked(), false);
    await page.getByLabel('Tick for No game at all').check();
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('Your vote is counted').waitFor();
    await page.getByText('One person has voted').waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('Tick for No game at all').isChecked(), true);
    await fits(page);
    await shown(page, 'open');
    await visit(guest, async (phone) => {
      await phone.goto('/vote/nothing');
      await phone.getByText('There is no such vote.').waitFor();
      await fits(phone);
      await phone.getByRole('link', { name: 'All votes' }).click();
      await phone.getByRole('link', { name: 'Game of the month?' }).click();
      await phone.getByText('Sign in to vote').waitFor();
      assert.equal(await phone.getByLabel('No tick').isDisabled(), true);
      await fits(phone);
    });
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('Nobody has voted').waitFor();
    await page.getByRole('button', { name: 'Call it off' }).click();
    await page.getByRole('button', { name: 'Yes, call it off' }).click();
    await page.getByText('It was called off.').waitFor();
  });
});

test('the page declares the greatest net when the vote closes', async () => {
  const people = [await here.person(), await here.person(PHONE), await here.person(ACROSS)];
  const [one, two, three] = people;
  await visit(one, async (page) => {
    await visit(two, async (phone) => {
      await visit(three, async (across) => {
        await register(page, 'North');
        await register(phone, 'South');
        await register(across, 'East');
        const answer = await one.context.request.post('/api/votes', {
          data: {
            question: 'Who shall be our emblem?',
            candidates: [{ text: 'The Tiger' }, { text: 'The Elephant' }, { text: 'The Citadel' }],
            closes_ms: Date.now() + 12_000,
          },
          headers: { origin: one.base },
        });
        const { id } = await answer.json();
        for (const [browser, tick, cross] of [
          [page, 'The Tiger', 'The Elephant'],
          [phone, 'The Citadel', 'The Tiger'],
          [across, 'The Citadel', 'The Elephant'],
        ]) {
          await browser.goto(`/vote/${id}`);
          await browser.getByLabel(`Tick for ${tick}`).check();
          await browser.getByLabel(`Cross against ${cross}`).check();
          await browser.getByRole('button', { name: 'Vote', exact: true }).click();
          await browser.getByText('Your vote is counted').waitFor();
        }
        // Nothing is asked for: the pages see that it has closed.
        for (const [browser, name] of [
          [page, 'desktop'],
          [phone, 'phone'],
          [across, 'across'],
        ]) {
          await browser.getByText('The Citadel has won.').waitFor();
          const row = browser.getByRole('row', { name: /The Citadel/ });
          assert.match((await row.innerText()).replace(/\s+/g, ' '), /won 0 2 \+2/);
          await fits(browser);
          await shown(browser, `declared-${name}`);
        }
        await page.getByRole('link', { name: 'All votes' }).click();
        await page.getByText('The Citadel has won.').waitFor();
        await fits(page);
      });
    });
  });
});
