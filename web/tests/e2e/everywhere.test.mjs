// Every page of the client as one who is signed in sees it: accessible and whole at a desk, on a phone upright and across,
// in light and dark. At a desk as a guest, too, and there all that can be pressed is reached by Tab.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { violations } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const router = await readFile(new URL('../../src/router.svelte.ts', import.meta.url), 'utf8');
const PAGES = [...router.matchAll(/\{ page: '(\w+)'/g)].map(([, page]) => page);
/** Presses of Tab on one page at most. */
const MANY = 400;

const PHONE = { hasTouch: true, isMobile: true };
const LOOKS = {
  'at a desk': { viewport: { width: 1366, height: 768 }, colorScheme: 'light' },
  'at a desk, dark': { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' },
  'on a phone upright, dark': { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  'on a phone across': { ...PHONE, viewport: { width: 844, height: 390 }, colorScheme: 'light' },
};

async function make(person, path, data) {
  const answer = await person.context.request.post(path, { data, headers: { origin: here.server.base } });
  assert.equal(answer.ok(), true, `${path}: ${answer.status()} ${await answer.text()}`);
  return (await answer.json()).id;
}

/** A finished game, one under way, a tournament and a vote of a new account; gives the pages and their addresses. */
async function addresses(person, page, name) {
  await register(page, name);
  const wish = { variant: 'citadel9', level: 1, side: 'white', clock: 'tiger:10m+5s' };
  const [over, open] = [await person.makeGame(wish), await person.makeGame({ ...wish, variant: 'strike80' })];
  await page.goto(`/game/${over.id}`);
  await move(page, 'e2e4');
  await waitForPly(page, 2);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes, resign' }).click();
  await page.getByText('by resignation').waitFor();
  const soon = Date.now() + 3_600_000;
  const tournament = await make(person, '/api/tournaments', {
    name: `Cup of ${name}`,
    kind: { swiss: { rounds: 3 } },
    games: ['citadel9', 'chess'],
    clock: 'fischer:5m+3s',
    starts_ms: soon,
  });
  const vote = await make(person, '/api/votes', {
    question: `Game of the month, ${name}?`,
    candidates: [{ game: 'strike80' }, { game: 'citadel9' }, { text: 'None' }],
    closes_ms: soon,
  });
  return [
    ['home', '/'],
    ['mine', '/mine'],
    ['account', '/account'],
    ['account', '/register'],
    ['person', `/person/${name}`],
    ['best', '/best'],
    ['best', '/best/citadel9'],
    ['archive', '/archive'],
    ['watch', '/watch'],
    ['tournaments', '/tournaments'],
    ['tournament', `/tournament/${tournament}`],
    ['votes', '/votes'],
    ['vote', `/vote/${vote}`],
    ['game', `/game/${open.id}`],
    ['game', `/game/${over.id}`],
    ['review', `/game/${over.id}/review`],
    ['review', '/review/nothing'],
    ['rules', '/rules'],
    ['rules', '/rules/strike80'],
    ['learn', '/learn'],
    ['learn', '/learn/citadel9'],
    ['learn', '/learn/citadel9/transferring'],
    ['moderate', '/moderate'],
    ['analysis', '/analysis'],
    ['analysis', '/analysis/citadelir2024'],
    ['mail', '/mail/confirm/guess'],
    ['lost', '/no/such/page'],
  ];
}

async function open(page, path) {
  await page.goto(path);
  await page.locator('h1, [role="grid"]').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
}

/** What can be pressed and is not reached by Tab. */
async function tabbed(page) {
  const count = await page.evaluate(() => {
    const seen = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const groups = new Set();
    const all = [...document.querySelectorAll(seen)].filter((one) => {
      if (one.tabIndex < 0 || one.matches(':disabled') || !one.checkVisibility({ visibilityProperty: true }))
        return false;
      // Tab stops once in a group of radio buttons: at the one that is chosen.
      if (one.type !== 'radio') return true;
      const chosen = document.querySelector(`input[name="${one.name}"]:checked`);
      if (groups.has(one.name) || (chosen && chosen !== one)) return false;
      groups.add(one.name);
      return true;
    });
    globalThis.wanted = new Set(all);
    addEventListener('focusin', (event) => globalThis.wanted.delete(event.target));
    return all.length;
  });
  assert.ok(count > 0, 'there is something to press');
  let [left, presses] = [count, 0];
  await page.evaluate(() => document.activeElement?.blur());
  for (; left && presses < MANY; presses += 20) {
    for (let i = 0; i < 20; i++) await page.keyboard.press('Tab');
    left = await page.evaluate(
      () => [...globalThis.wanted].filter((one) => one.isConnected && one.checkVisibility()).length,
    );
  }
  const names = await page.evaluate(() => [...globalThis.wanted].map((one) => one.outerHTML.slice(0, 120)));
  return left ? names : [];
}

for (const [look, options] of Object.entries(LOOKS))
  test(`every page, ${look}`, async () => {
    const person = await here.person(options);
    // What is not there is asked for on purpose.
    person.allowed = [/404 \(Not Found\)/];
    const guest = await here.person(options);
    guest.allowed = [/40[14] \(/];
    await visit(person, async (page) => {
      const all = await addresses(person, page, look.replaceAll(/\W+/g, '_').slice(0, 20));
      // A new page is looked at here, too.
      assert.deepEqual(new Set(all.map(([name]) => name)), new Set(PAGES));
      const found = {};
      const see = async (page, path, who) => {
        await open(page, path);
        const wrong = await violations(page);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wide > 0) wrong.push(`${wide} pixels too wide`);
        if (look === 'at a desk')
          wrong.push(...(await tabbed(page)).map((one) => `not reached by Tab: ${one}`));
        if (wrong.length) found[`${path} (${who})`] = wrong;
      };
      for (const [, path] of all) await see(page, path, 'signed in');
      await visit(guest, async (other) => {
        if (look === 'at a desk') for (const [, path] of all) await see(other, path, 'a guest');
      });
      assert.deepEqual(found, {});
    });
  });
