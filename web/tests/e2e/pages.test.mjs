// Every page: accessible in light and dark, whole on a phone, small, and installable.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { findGame, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const LIMIT = 150_000;

/** What axe-core finds wrong, in short. */
async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.target} ${node.failureSummary ?? ''}`)
          .join(' | ')}`,
    );
  });
}

/** Whether the page is wider than its window. */
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Opens every page in turn and does `look` there. */
async function tour(person, page, look) {
  await page.goto('/');
  await page
    .getByRole('button', { name: /against the engine/ })
    .first()
    .waitFor();
  await look('home');
  const friend = await findGame(page, 'Play a friend: Citadel - 9 ranks');
  await look('home, a family opened');
  await friend.click();
  await page.getByRole('dialog').waitFor();
  await look('new game');

  const { id, seat } = await person.makeGame({
    variant: 'citadel9',
    level: 1,
    side: 'white',
    clock: 'tiger:10m+5s',
  });
  await page.goto(`/game/${id}#${seat}`);
  await page.getByRole('grid').waitFor();
  await look('game');
  await move(page, 'e2e4');
  await waitForPly(page, 2);
  await look('game under way');
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes, resign' }).click();
  await page.getByText('by resignation').waitFor();
  await look('game over');

  await page.goto('/mine');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await look('mine');
  await page.goto('/rules');
  await page
    .getByRole('link', { name: /Citadelir/ })
    .first()
    .waitFor();
  await look('rules list');
  await page.goto('/rules/citadelir2024');
  await page
    .getByRole('status')
    .filter({ hasText: /empty square/ })
    .waitFor();
  await look('rules');
  await page.goto('/analysis');
  await page.getByRole('link', { name: 'Chess', exact: true }).waitFor();
  await look('analysis list');
  await page.goto('/analysis/alhusun?moves=' + encodeURIComponent('b3b4 b10b9'));
  await page.getByRole('grid').waitFor();
  await page.getByRole('switch', { name: 'Engine' }).click();
  await page.getByRole('region', { name: 'Engine' }).locator('li').first().waitFor();
  await look('analysis');
  await page.getByRole('switch', { name: 'Engine' }).click();
  await page.getByRole('button', { name: 'Edit position' }).click();
  await page.getByText('A possible position.').waitFor();
  await look('editor');
  await page.goto('/no/such/page');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await look('no page');
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing on any page, ${colorScheme}`, async () => {
    const person = await here.person({ colorScheme });
    await visit(person, async (page) => {
      const found = {};
      await tour(person, page, async (name) => {
        const wrong = await violations(page);
        if (wrong.length) found[name] = wrong;
      });
      assert.deepEqual(found, {});
    });
  });
}

test('on a phone: no page is wider than the window, a 12x12 game is played by touch', async () => {
  const person = await here.person(PHONE);
  await visit(person, async (page) => {
    const wide = {};
    await tour(person, page, async (name) => {
      const by = await overflow(page);
      if (by > 0) wide[name] = by;
      const wrong = await violations(page);
      if (wrong.length) wide[`${name}, axe`] = wrong;
    });
    assert.deepEqual(wide, {});

    const { id, seat } = await person.makeGame({ variant: 'citadelir2024', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();
    const board = await grid(page).boundingBox();
    assert.ok(board.width > 320, `the board is ${board.width} of 360 wide`);
    const { legal } = (await person.snapshot(id)).now;
    const [, from, to] = /^([a-l]\d+)([a-l]\d+)/.exec(legal[0]);
    for (const name of [from, to]) {
      const box = await grid(page).locator(`[data-square="${name}"]`).boundingBox();
      assert.ok(box.width >= 24, 'squares can be hit by a finger');
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    }
    await waitForPly(page, 2);
  });
});

test('on a phone: the board listens where it stands after the invitation above it has gone', async () => {
  const person = await here.person(PHONE);
  const friend = await here.person();
  await visit(person, (page) =>
    visit(friend, async (other) => {
      const { id, seat, friend_seat } = await person.makeGame({ variant: 'chess', side: 'white' });
      await page.goto(`/game/${id}#${seat}`);
      await grid(page).waitFor();
      // The widget looks where it stands, as for a piece looked at while waiting.
      const box = await grid(page).boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + 10);
      await other.goto(`/game/${id}#${friend_seat}`);
      await move(page, 'g1f3');
      await waitForPly(other, 1);
      await move(other, 'e7e5', { by: 'drag' });
      await waitForPly(page, 2);
      await move(page, 'b1c3', { by: 'drag' });
      await waitForPly(other, 3);
    }),
  );
});

test('colours, pieces and sound are chosen and remembered; the board turns round', async () => {
  const person = await here.person({ colorScheme: 'light' });
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'citadel9', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const picture = () =>
      page
        .locator('cg-board piece.white.k-piece')
        .evaluate((piece) => getComputedStyle(piece).backgroundImage);
    assert.equal(await theme(), 'light');
    await page.waitForFunction(() => {
      const piece = document.querySelector('cg-board piece.white.k-piece');
      return piece && getComputedStyle(piece).backgroundImage.includes('data:');
    });
    const themed = await picture();

    await page.getByRole('button', { name: 'Dark colours' }).click();
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('radio', { name: 'letters' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.pieces-letters-citadel9').first().waitFor();
    await page.getByRole('button', { name: 'Sound' }).click();
    await page.reload();
    await grid(page).waitFor();
    assert.equal(await theme(), 'dark');
    await page.locator('.pieces-letters-citadel9').first().waitFor();
    await page.waitForFunction(() => {
      const piece = document.querySelector('cg-board piece.white.k-piece');
      return piece && getComputedStyle(piece).backgroundImage.includes('data:');
    });
    assert.notEqual(await picture(), themed);
    assert.equal(await page.getByRole('button', { name: 'Sound' }).getAttribute('aria-pressed'), 'false');

    const first = () => grid(page).locator('[data-square]').first().getAttribute('data-square');
    assert.equal(await first(), 'a9');
    await page.getByRole('button', { name: 'Flip the board' }).click();
    assert.equal(await first(), 'i1');
    await move(page, 'e2e4');
    await waitForPly(page, 2);
  });
});

test('the game page loads less than 150 kB of compressed script and style, pieces and all', async (t) => {
  const person = await here.person();
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'citadelir2024', level: 1, side: 'white' });
    const loaded = [];
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (['script', 'stylesheet'].includes(type)) loaded.push(response);
    });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();
    await page.waitForLoadState('networkidle');
    let own = 0;
    const sizes = [];
    for (const response of loaded) {
      const { pathname } = new URL(response.url());
      const { responseBodySize } = await response.request().sizes();
      const body = await response.body();
      if (body.length > 2000) {
        assert.match((await response.allHeaders())['content-encoding'] ?? 'none', /gzip|br|zstd/, pathname);
      }
      sizes.push(`${pathname}: ${responseBodySize}`);
      own += responseBodySize;
    }
    t.diagnostic(`${own} bytes`);
    assert.ok(own > 10_000 && own < LIMIT, `${own} bytes:\n${sizes.join('\n')}`);
  });
});

test('the page can be installed and opens without a connection; nothing of the interface is kept', async () => {
  const person = await here.person({ serviceWorkers: 'allow' });
  person.allowed.push(/ERR_INTERNET_DISCONNECTED/, /ERR_FAILED/, /WebSocket/);
  await visit(person, async (page) => {
    await page.goto('/');
    const manifest = await (await person.context.request.get('/manifest.webmanifest')).json();
    assert.equal(manifest.display, 'standalone');
    for (const icon of manifest.icons) {
      const answer = await person.context.request.get(icon.src);
      assert.equal(answer.headers()['content-type'], icon.type);
    }
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    // All pages are kept, those too that were not opened yet.
    const wanted = ['index', 'Game', 'Mine', 'Rules', 'Analysis'];
    let kept = [];
    for (let tries = 0; tries < 100; tries++) {
      kept = await page.evaluate(async () => {
        const addresses = [];
        for (const name of await caches.keys()) {
          const requests = await (await caches.open(name)).keys();
          addresses.push(...requests.map(({ url }) => new URL(url).pathname));
        }
        return addresses;
      });
      if (wanted.every((one) => kept.some((path) => path.startsWith(`/assets/${one}-`)))) break;
      await page.waitForTimeout(100);
    }
    assert.ok(kept.includes('/') && kept.some((path) => path.startsWith('/assets/')), kept.join(' '));
    assert.equal(
      kept.some((path) => path.startsWith('/api')),
      false,
    );
    await person.context.setOffline(true);
    await page.goto('/mine');
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});
