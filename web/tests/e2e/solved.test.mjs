// Positions that are solved: puzzles, found and missed; tables of perfect play on the analysis board.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { grid, move, square } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage({ solved: ['shatranj'] });
const DESK = { viewport: { width: 1366, height: 768 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const status = (page) => page.locator('.task [role="status"]');

/** What the server tells of the puzzles of a length. */
async function puzzles(person, game, moves) {
  const answer = await person.context.request.get(`/api/variants/${game}/lessons/puzzles-win-in-${moves}`);
  assert.ok(answer.ok(), `${game}: ${answer.status()}`);
  return (await answer.json()).tasks;
}

for (const [name, size, game] of [
  ['desk', DESK, 'citadel9'],
  ['phone', PHONE, 'strike80'],
]) {
  test(`a puzzle is missed, then found against its defence; the next one is a press away (${name})`, async () => {
    const person = await here.person(size);
    await visit(person, async (page) => {
      const [task] = await puzzles(person, game, 2);
      assert.equal(task.solution.length, 2);
      await page.goto(`/learn/${game}`);
      await page.getByRole('heading', { name: 'Puzzles' }).waitFor();
      await fits(page);
      await page.getByRole('link', { name: /^Win in 2 moves/ }).click();
      await grid(page).waitFor();
      await page.locator('cg-board piece').first().waitFor();
      await page.getByText('Find the win:').waitFor();
      const wrong = task.start.legal.find(
        (uci) => uci !== task.solution[0] && /^[a-l]\d+[a-l]\d+$/.test(uci),
      );
      await move(page, wrong);
      await status(page).getByText('Not this time.').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      const answered = page.waitForResponse(/lessons\/puzzles-win-in-2\//);
      await move(page, task.solution[0]);
      // The defence is seen after the own move.
      const [from] = (await (await answered).json()).last.match(/[a-l]\d+/g);
      await square(page, from).and(page.locator('[aria-label*="empty"]')).waitFor();
      await move(page, task.solution[1]);
      await status(page).getByText('Done').waitFor();
      await page.getByText('Themes: ').waitFor();
      await fits(page);
      await page.getByRole('button', { name: 'Next task' }).click();
      await page.getByRole('region', { name: /^Task 2 of/ }).waitFor();
    });
  });
}

test('with three men left the analysis board says who wins, and what each move leads to', async () => {
  const person = await here.person(PHONE);
  await visit(person, async (page) => {
    const fen = '8/8/8/8/3k4/8/3p4/K7 w - - 0 1';
    await page.goto(`/analysis/shatranj?fen=${encodeURIComponent(fen)}`);
    await grid(page).waitFor();
    const known = page.getByRole('region', { name: 'Tables of perfect play' });
    await known.waitFor();
    await fits(page);
    const first = known.getByRole('button').first();
    const told = await first.innerText();
    assert.match(told, /(wins|loses) in \d+|draws/);
    await first.click();
    await page.locator('.moves, [aria-label="Moves"]').first().getByText(told.split(/\s/)[0]).waitFor();
    // Four men are not in the tables.
    await page.goto(`/analysis/shatranj?fen=${encodeURIComponent('8/8/8/3pk3/8/3P4/8/K7 w - - 0 1')}`);
    await grid(page).waitFor();
    await page.getByText('to move').first().waitFor();
    assert.equal(await known.count(), 0);
  });
});
