// The engine as an opponent: it takes its time and shows that it thinks, and resigns only where it was asked to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click, findGame, grid, waitForPly, waitForTurn } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage({ pause: true });

test('it thinks for a while, and shows it; nothing moves under the hand', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'chess', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();
    await waitForTurn(person, id, 'white');
    await page.getByText('It is your turn.').waitFor();
    const place = async () => (await page.getByRole('button', { name: 'Resign' }).boundingBox()).y;
    const before = await place();
    await click(page, 'e2');
    await click(page, 'e4');
    const since = Date.now();
    await page.getByText('Black is thinking').waitFor();
    assert.equal(await place(), before);
    await waitForPly(page, 2);
    const took = Date.now() - since;
    assert.ok(took > 200 && took < 8000, `${took} ms`);
    assert.equal(await page.getByText('is thinking').count(), 0);
  });
});

test('who wishes it has the engine resign', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/');
    await (await findGame(page, 'Play Chess against the engine')).click();
    const dialog = page.getByRole('dialog');
    const box = dialog.getByRole('checkbox', { name: 'The engine may resign when it has lost' });
    assert.equal(await box.isChecked(), false);
    await box.focus();
    await page.keyboard.press('Space');
    const [request] = await Promise.all([
      page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/api/games')),
      dialog.locator('button[type="submit"]').click(),
    ]);
    assert.equal(request.postDataJSON().engine_resigns, true);
    await page.waitForURL(/\/game\/[^/#]+$/);
  });
});
