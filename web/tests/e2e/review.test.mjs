// A game looked back at: one press from the end of a lost game to the mistake, a better move found by pointer and by
// keyboard, found again by others, for games brought in too, on desktop and phone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { click, grid, move, split, walk, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** White's Queen can be given away on d5. */
const FEN = '3qk3/8/4p3/8/8/8/4P3/3QK3 w - - 0 1';
const WAIT = { timeout: 60_000 };

async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(' | ')}`);
  });
}

/** Plays a game in which the Queen is given away, and resigns it. */
async function lose(person, page) {
  const { id, seat } = await person.makeGame({ variant: 'chess', level: 1, side: 'white', fen: FEN });
  await page.goto(`/game/${id}#${seat}`);
  await move(page, 'd1d5');
  await waitForPly(page, 2);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes, resign' }).click();
  await page.getByText('You lost').waitFor();
  return id;
}

const mistake = (page) => page.getByRole('region', { name: 'The mistake' });
const slider = (page) => page.getByRole('slider', { name: 'Chances through the game' });
/** The moves of a review, by the interface. */
async function reviewOf(person, id) {
  const answer = await person.context.request.get(`/api/reviews/${id}`);
  return (await answer.json()).review;
}

/** Goes through a review that has opened at its mistake; `by` is how. */
async function goThrough(person, page, id, by) {
  await mistake(page).getByText('This was the mistake:').waitFor(WAIT);
  await mistake(page)
    .getByRole('heading', { name: /1\. Qd5/ })
    .waitFor();
  await mistake(page)
    .getByText(/White's blunder, \d+ percentage points lost/)
    .waitFor();
  const { moves, turning } = await reviewOf(person, id);
  assert.ok(turning.includes(0));
  const better = moves[0].better;

  // The better move as an arrow, its line along the buttons, back by the keyboard.
  await page
    .locator('cg-container svg.cg-shapes line, cg-container svg.cg-shapes g')
    .first()
    .waitFor({ state: 'attached' });
  const line = page.getByRole('group', { name: 'The better line' });
  const first = line.getByRole('button').first();
  await first.click();
  await line.locator('[aria-current="step"]').waitFor();
  const { from, to } = split(better.uci[0]);
  const square = (name) => grid(page).locator(`[data-square="${name}"]`).getAttribute('aria-label');
  assert.match(await square(from), /empty/);
  assert.doesNotMatch(await square(to), /empty/);
  await page.keyboard.press('ArrowLeft');
  await line.locator('[aria-current="step"]').waitFor({ state: 'detached' });

  // The same as a task: the game's move is told to be wrong, the engine's right.
  await page.getByRole('button', { name: /^Task 1/ }).click();
  const verdict = page.locator('.verdict');
  await mistake(page)
    .getByText(/find a better move for White/)
    .waitFor();
  const enter = async (uci) => {
    const { from, to } = split(uci);
    if (by === 'keyboard') {
      await walk(page, from);
      await page.keyboard.press('Enter');
      await walk(page, to);
      await page.keyboard.press('Enter');
    } else {
      await click(page, from);
      await click(page, to);
    }
  };
  await enter('d1d5');
  await verdict.filter({ hasText: /is not it/ }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await enter(better.uci[0]);
  await verdict.filter({ hasText: 'Well found!' }).waitFor();
  await page.getByRole('button', { name: /^Task 1.*solved/ }).waitFor();

  // The curve says where it is, and is gone along.
  await slider(page).focus();
  await page.keyboard.press('Home');
  assert.match(await slider(page).getAttribute('aria-valuetext'), /^Start, White's chance \d+ percent/);
  await page.keyboard.press('ArrowRight');
  assert.match(
    await slider(page).getAttribute('aria-valuetext'),
    /^1\. Qd5, blunder, White's chance \d+ percent/,
  );
  await page.locator('[data-ply="1"][aria-current="step"]').filter({ hasText: '??' }).waitFor();
  await mistake(page).getByRole('button', { name: 'Show what was better' }).click();
  await line.waitFor();

  const accuracy = page.getByRole('region', { name: 'Accuracy' });
  await accuracy.getByText(/\d+%/).first().waitFor();
  await accuracy
    .getByText(/1 blunder/)
    .first()
    .waitFor();
  await page.getByRole('region', { name: 'Key moments' }).getByText('Black wins by resignation.').waitFor();
}

describe('after a game', () => {
  const DEVICES = {
    desktop: { viewport: { width: 1366, height: 768 } },
    'phone upright': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    'phone across': {
      viewport: { width: 844, height: 390 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    },
  };
  for (const [name, device] of Object.entries(DEVICES)) {
    test(`${name}: one press leads to the mistake`, async () => {
      const person = await here.person(device);
      await visit(person, async (page) => {
        const id = await lose(person, page);
        // One press, counted: nothing else is pressed until the mistake is named.
        await page.evaluate(() => {
          globalThis.presses = 0;
          addEventListener('click', () => (globalThis.presses += 1), { capture: true });
        });
        await page.getByRole('link', { name: 'What happened?' }).click();
        await mistake(page).getByText('This was the mistake:').waitFor(WAIT);
        assert.equal(await page.evaluate(() => globalThis.presses), 1);
        assert.match(page.url(), new RegExp(`/game/${id}/review$`));
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(wide <= 0, `${wide} wider than the window`);
        assert.deepEqual(await violations(page), []);
        await goThrough(person, page, id, name === 'desktop' ? 'keyboard' : 'click');
        assert.deepEqual(await violations(page), []);
      });
    });
  }
});

test('who comes by the shared address has it at once, and a game under way is not helped', async () => {
  const person = await here.person();
  const friend = await here.person();
  await visit(person, (page) =>
    visit(friend, async (other) => {
      const id = await lose(person, page);
      await page.getByRole('link', { name: 'What happened?' }).click();
      await mistake(page).waitFor(WAIT);
      const address = await page.getByLabel('To share this').inputValue();
      const asked = [];
      other.on('request', (request) => {
        if (/\/api\/(games|reviews)\/.*/.test(request.url()) && request.url().includes('review'))
          asked.push(request.method());
      });
      await other.goto(address);
      await mistake(other)
        .getByRole('heading', { name: /1\. Qd5/ })
        .waitFor();
      assert.deepEqual(asked, ['POST']);

      // Into the game by the analysis, and a game under way.
      friend.allowed.push(/409/);
      const running = await friend.makeGame({ variant: 'chess', level: 1, side: 'white' });
      await other.goto(`/game/${running.id}/review`);
      await other.getByRole('alert').filter({ hasText: 'not over yet' }).waitFor();
    }),
  );
});

test('a game brought in as PGN is looked back at, with its key moments', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const pgn =
      '[Variant "citadel9"]\n[White "Ann"]\n[Black "Bob"]\n[SetUp "1"]\n' +
      '[FEN "k8/3P5/9/9/9/9/9/9/4K4 w - - CY 0 1"]\n\n1. d9=C+ Ka8 2. Kd2 Ka7 *';
    await page.goto('/analysis/citadel9');
    await page.getByText('Bring in a game or a position').click();
    await page.getByLabel('PGN or position text').fill(pgn);
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByRole('region', { name: 'Moves' }).getByText('d9=C').waitFor();
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForURL(/\/review\/[a-z0-9]+$/);
    await slider(page).waitFor(WAIT);
    await page
      .getByRole('region', { name: 'Key moments' })
      .getByRole('button', { name: /1\. d9=C.*Pure-White's Chief Commander is freed/ })
      .click();
    assert.match(await slider(page).getAttribute('aria-valuetext'), /^1\. d9=C/);
    await page.getByText('Pure-White: Ann · Blue-Stripe: Bob').waitFor();
    await page.getByText(/Kept at least until/).waitFor();
    assert.deepEqual(await violations(page), []);
  });
});
