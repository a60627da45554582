// Accounts of programs: marked for good on their page, with a token that is shown once and taken back; what the token
// plays, others see as a bot's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAccessible, isNotTooWide } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const WORD = 'correct horse battery';

/** Asks as a program does. */
async function ask(token, method, path, body) {
  const answer = await fetch(`${here.server.base}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
}

test('an account becomes a program’s, whose token plays and is taken back', async () => {
  const owner = await here.person(PHONE);
  owner.allowed.push(/403/);
  await visit(owner, async (page) => {
    await register(page, 'Robot');
    await page.goto('/account');
    const room = page.getByRole('region', { name: 'A program that plays' });
    await room.getByRole('button', { name: 'This account is a program…' }).click();
    await room.getByText('This cannot be undone.').waitFor();
    const mark = room.getByRole('button', { name: 'Mark it for good' });
    assert.ok(await mark.isDisabled());
    await isAccessible(page);
    await isNotTooWide(page);
    await room.getByLabel('Password of this account').fill('not the words');
    await room.getByLabel('This account is a program').check();
    await mark.click();
    await room.getByRole('alert').getByText('not the password').waitFor();
    await room.getByLabel('Password of this account').fill(WORD);
    await mark.click();
    await room.getByText('This is the account of a program').waitFor();
    await page.locator('.bot', { hasText: 'bot' }).first().waitFor();
    // By keyboard alone.
    await room.getByLabel('Name of a new token').focus();
    await page.keyboard.type('at home');
    await page.keyboard.press('Enter');
    const token = await room.locator('code').innerText();
    assert.match(token, /^husun_[a-z2-9]{32}$/);
    await isAccessible(page);
    await isNotTooWide(page);
    await room.getByRole('button', { name: 'I have kept it' }).click();
    await room.getByText('not used yet').waitFor();
    await page.reload();
    await room.getByText('at home').waitFor();
    assert.equal(await page.getByText(token).count(), 0, 'shown again');

    // The program comes, and offers a game over days.
    const me = await ask(token, 'GET', 'me');
    assert.deepEqual([me.status, me.body.name, me.body.bot], [200, 'Robot', true]);
    const seek = await ask(token, 'POST', 'lobby/seeks', { games: ['chess'], clocks: ['days:3'] });
    assert.equal(seek.status, 201);
    const ann = await here.person();
    await visit(ann, async (page) => {
      await page.goto('/');
      const offer = page.locator('.seek', { hasText: 'Robot' });
      await offer.locator('.bot').waitFor();
      await offer.getByRole('button', { name: /^Play Robot/ }).click();
      await page.waitForURL('**/game/**');
      const bar = page.locator('.bar', { hasText: 'Robot' });
      await bar.locator('.bot').waitFor();
      await isAccessible(page);
      await page.goto('/person/Robot');
      const mark = page.getByRole('heading', { level: 1 }).locator('.bot');
      assert.equal(await mark.getAttribute('title'), 'A program, not a person');
      await isAccessible(page);
    });

    await room.getByRole('button', { name: 'Take back the token at home' }).click();
    await room.getByText('it no longer works').waitFor();
    assert.equal((await ask(token, 'GET', 'me')).status, 401);
  });
});

test('a challenge to people alone is answered so by the page', async () => {
  const [ann, owner] = [await here.person(), await here.person()];
  await visit(ann, async (page) => {
    await register(page, 'Ann');
    await visit(owner, async (page) => {
      await register(page, 'Second_robot');
      const marked = await page.evaluate(
        (password) =>
          fetch('/api/account/bot', {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ password }),
          }).then((answer) => answer.status),
        WORD,
      );
      assert.equal(marked, 204);
      const sent = await page.evaluate(() =>
        fetch('/api/people/Ann/challenges', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ variant: 'chess', clock: 'fischer:5m+3s' }),
        }).then((answer) => answer.status),
      );
      assert.equal(sent, 201);
    });
    const note = page.getByRole('complementary', { name: 'From others' });
    await note.locator('.bot').waitFor();
    await isAccessible(page);
    await note.getByRole('button', { name: 'Decline…' }).click();
    await note.getByRole('button', { name: 'With people, not programs' }).click();
    await note.waitFor({ state: 'detached' });
  });
});
