// Home: the way in for newcomers, games by family, own games first, and life after an outage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGame, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const pictures = (page) => page.locator('main img').evaluateAll((all) => all.map((img) => img.src));

test('a newcomer: one look, the way to learn, three phone screens, one picture', async () => {
  const person = await here.person(PHONE);
  await visit(person, async (page) => {
    let bytes = 0;
    page.on('requestfinished', async (request) => {
      // What still comes when the page is closed is not counted.
      const sizes = await request.sizes().catch(() => null);
      if (sizes) bytes += sizes.responseBodySize + sizes.responseHeadersSize;
    });
    await page.goto('/');
    const learn = page.getByRole('link', { name: 'Learn a first game in five minutes' });
    await learn.waitFor();
    await page.locator('button[aria-expanded]').first().waitFor();
    await page.waitForLoadState('networkidle');
    const box = await learn.boundingBox();
    assert.ok(box.y + box.height < 844, 'it is seen without scrolling');
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= 3 * 844, `the page is ${height} pixels high`);
    assert.equal((await pictures(page)).length, 1);
    assert.ok(bytes < 100_000, `${bytes} bytes`);
    await learn.click();
    await page.waitForURL((url) => url.pathname !== '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});

test('families: opened by keyboard, with a picture for each form, still open on coming back', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/');
    const card = page.getByRole('region', { name: 'TigerSquares' });
    const button = card.locator('button[aria-expanded]');
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const play = card.getByRole('button', { name: /^Play a friend/ });
    assert.equal(await play.count(), 4);
    assert.equal(await card.locator('img').count(), 4);
    await card.getByRole('link', { name: 'Rules of TigerSquares Strike 100' }).click();
    await page.waitForURL(/rules\/strike100/);
    await page.goBack();
    await play.first().waitFor();
    // Another one closes it.
    await findGame(page, 'Play a friend: Chess');
    assert.equal(await play.count(), 0);
    assert.equal(await page.locator('button[aria-expanded="true"]').count(), 1);
  });
});

test('own games under way come first; those that are over are not among them', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const done = await person.makeGame({ variant: 'chess', level: 1, side: 'white' });
    await page.goto(`/game/${done.id}#${done.seat}`);
    await move(page, 'e2e4');
    await waitForPly(page, 2);
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: 'Yes, resign' }).click();
    await page.getByText('by resignation').waitFor();
    const { id, seat } = await person.makeGame({ variant: 'grand', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();

    await page.goto('/');
    const own = page.getByRole('region', { name: 'Your games' });
    await own.waitFor();
    assert.deepEqual(
      await own.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
      [`/game/${id}`],
    );
    const [games, learn] = await Promise.all([
      own.boundingBox(),
      page.getByRole('link', { name: /Learn a first game/ }).boundingBox(),
    ]);
    assert.ok(games.y < learn.y, 'own games stand above');
    // Left alone, nobody finds it among the games to watch.
    await page.goto('/mine');
    await page.getByRole('heading', { name: 'Over' }).waitFor();
    const stranger = await here.person();
    await visit(stranger, async (other) => {
      await other.goto('/');
      await other.locator('button[aria-expanded]').first().waitFor();
      await other.waitForLoadState('networkidle');
      assert.equal(await other.locator(`a[href="/game/${done.id}"]`).count(), 0);
      assert.equal(await other.locator(`a[href="/game/${id}"]`).count(), 0);
    });
  });
});

test('Home comes to life by itself when the server answers again', async () => {
  const person = await here.person();
  person.allowed.push(/ERR_FAILED/, /net::/);
  await visit(person, async (page) => {
    let down = true;
    await page.route('**/api/**', (route) => (down ? route.abort() : route.continue()));
    await page.goto('/');
    await page.getByRole('alert').filter({ hasText: 'Trying again' }).waitFor();
    down = false;
    await page.locator('button[aria-expanded]').first().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });
});
