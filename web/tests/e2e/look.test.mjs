// What the eye gets: settings of taste, boards that fit their window, pictures from the own side, what is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNotTooWide, violations } from './lib/axe.mjs';
import { click, findGame, grid, move, square, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const ACROSS = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true };

/** Sees that an element stands within the window without scrolling. */
async function fits(page, locator) {
  await page.evaluate(() => scrollTo(0, 0));
  const box = await locator.boundingBox();
  const { width, height } = page.viewportSize();
  const ok = box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
  assert.ok(ok, `${JSON.stringify(box)} in ${width} by ${height}`);
  return box;
}

async function begin(person, page, wish) {
  const made = await person.makeGame({ level: 1, side: 'white', ...wish });
  await page.goto(`/game/${made.id}#${made.seat}`);
  await grid(page).waitFor();
  return made;
}

test('board, speed and confirmation are chosen and remembered; a move waits for its confirmation', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const { id } = await begin(person, page, { variant: 'citadel9' });
    const picture = () => page.locator('.ground').evaluate((g) => getComputedStyle(g).backgroundImage);
    const green = await picture();
    await page.getByRole('button', { name: 'More settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.waitFor();
    assert.ok((await dialog.getByRole('group', { name: 'Board' }).getByRole('radio').count()) >= 4);
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('radio', { name: 'Wood' }).check();
    await dialog.getByRole('radio', { name: 'slow' }).check();
    await dialog.getByRole('checkbox', { name: /Ask before a move/ }).check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.notEqual(await picture(), green);
    await page.reload();
    await grid(page).waitFor();
    assert.notEqual(await picture(), green);

    const before = await page.getByRole('button', { name: 'Resign' }).boundingBox();
    await click(page, 'e2');
    await click(page, 'e4');
    const ask = page.getByRole('group', { name: /Plainsman e2 to e4/ });
    await ask.waitFor();
    assert.deepEqual(await page.getByRole('button', { name: 'Resign' }).boundingBox(), before);
    assert.deepEqual(await violations(page), []);
    await ask.getByRole('button', { name: 'Not this' }).click();
    await ask.waitFor({ state: 'detached' });
    assert.equal((await person.snapshot(id)).now.ply, 0);
    await page.locator('cg-board piece.white.p-piece').nth(8).waitFor({ state: 'attached' });
    await click(page, 'd2');
    await click(page, 'd4');
    // The answer is at hand on the keyboard.
    await ask.or(page.getByRole('group', { name: /d2 to d4/ })).waitFor();
    await page.keyboard.press('Enter');
    await waitForPly(page, 2);
    assert.equal((await person.snapshot(id)).moves[0].uci, 'd2d4');
  });
});

test('pictures of games have the colours of the board that was chosen, by day and by night', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await begin(person, page, { variant: 'citadel9' });
    await page.evaluate(() => localStorage.setItem('husun.board', 'wood'));
    for (const [theme, light] of [
      ['light', '#f3e1c0'],
      ['dark', '#cdb189'],
    ]) {
      await page.evaluate((theme) => localStorage.setItem('husun.theme', theme), theme);
      for (const path of [
        '/',
        '/mine',
        '/rules/citadel9',
        '/archive?variant=chess&position=4k3/8/8/8/8/8/8/4K3%20w%20-%20-%200%201',
      ]) {
        await page.goto(path);
        const pictures = page.locator('img[src*="/board.svg"], img[src*="/diagram/"]');
        await pictures.first().waitFor({ state: 'attached' });
        const addresses = await pictures.evaluateAll((all) => all.map((img) => img.src));
        for (const address of addresses)
          assert.equal(new URL(address).searchParams.get('board'), 'wood', `${path}: ${address}`);
        const diagram = addresses.find((address) => address.includes('/diagram/'));
        assert.equal(!!diagram, path.startsWith('/rules'));
        for (const address of diagram ? [addresses[0], diagram] : [addresses[0]]) {
          const drawn = await page.evaluate((it) => fetch(it).then((it) => it.text()), address);
          assert.ok(drawn.includes(`"${light}"`), `${address}: no ${light}`);
        }
      }
    }
  });
});

test('a phone held across: the whole 12x12 board is seen, in a game, in analysis and in the editor', async () => {
  const person = await here.person(ACROSS);
  await visit(person, async (page) => {
    await begin(person, page, { variant: 'citadelir2024' });
    const board = await fits(page, grid(page));
    assert.ok(board.height > 270, `only ${board.height} high`);
    await fits(page, page.getByText('It is your turn'));
    assert.deepEqual(await violations(page), []);
    await page.goto('/analysis/citadelir2024');
    await grid(page).waitFor();
    await fits(page, grid(page));
    await page.getByRole('button', { name: 'Edit position' }).click();
    await page.getByText('A possible position.').waitFor();
    await fits(page, grid(page));
  });
});

test('a phone held upright: a game of many moves is as wide as the window, its line of moves runs along', async () => {
  const person = await here.person({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const friend = await here.person();
  await visit(person, (page) =>
    visit(friend, async (other) => {
      const { id, seat, friend_seat } = await person.makeGame({ variant: 'citadel9', side: 'white' });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      for (let ply = 0; ply < 12; ply++) {
        const [mover, on] = ply % 2 ? [friend, other] : [person, page];
        await on.locator('.state.mine').waitFor();
        const box = on.getByRole('textbox', { name: 'Type a move' });
        await box.fill((await mover.snapshot(id)).now.legal[0]);
        await box.press('Enter');
        await waitForPly(on, ply + 1);
      }
      await waitForPly(page, 12);
      await isNotTooWide(page);
      const moves = page.getByRole('list', { name: 'List of moves' });
      assert.ok(await moves.evaluate((list) => list.scrollWidth > list.clientWidth && list.scrollLeft > 0));
      const last = await page.locator('[data-ply="12"]').boundingBox();
      assert.ok(last.x > 0 && last.x + last.width < 390, JSON.stringify(last));
    }),
  );
});

test('the editor of a 12x12 game fits a small laptop', async () => {
  const person = await here.person({ viewport: { width: 1366, height: 768 } });
  await visit(person, async (page) => {
    await page.goto('/analysis/citadelir2024');
    await page.getByRole('button', { name: 'Edit position' }).click();
    await page.getByText('A possible position.').waitFor();
    await fits(page, grid(page));
    await fits(page, page.getByRole('button', { name: 'Analyse this position' }));
  });
});

test('an own game as Black is pictured from the own side', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await begin(person, page, { variant: 'chess', side: 'black' });
    await begin(person, page, { variant: 'chess', side: 'white' });
    await page.goto('/mine');
    await page.getByRole('heading', { name: 'Your turn' }).waitFor();
    await page.locator('.tile img').nth(1).waitFor();
    const pictures = await page.locator('.tile img').evaluateAll((all) => all.map((img) => img.src));
    const turned = pictures.filter((src) => src.startsWith('data:image/svg+xml'));
    assert.equal(turned.length, 1);
    assert.ok(decodeURIComponent(turned[0]).includes('rotate(180 400 400)'));
    const wide = await page
      .locator('.tile img[src^="data:"]')
      .evaluate((img) => img.decode().then(() => img.naturalWidth));
    assert.ok(wide > 0, 'the picture is whole');
  });
});

test('the promotion has a question and a way back', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await begin(person, page, { variant: 'chess', fen: '7k/P7/8/8/8/8/8/K7 w - - 0 1' });
    await click(page, 'a7');
    await click(page, 'a8');
    const chooser = page.getByRole('dialog', { name: /Pawn a7 to a8: what should it become/ });
    await chooser.waitFor();
    assert.deepEqual(await violations(page), []);
    await chooser.getByRole('button', { name: 'Cancel' }).click();
    await chooser.waitFor({ state: 'detached' });
    assert.match(await square(page, 'a7').getAttribute('aria-label'), /Pawn/);
  });
});

test('a freed prisoner and the die are told to both', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      const fen = '9/3P5/9/k8/9/9/9/9/4K4 w - - CY 0 1';
      const { id, seat, friend_seat } = await south.makeGame({ variant: 'citadel9', side: 'white', fen });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      await other.getByRole('grid').waitFor();
      await move(page, 'd8d9c');
      for (const on of [page, other])
        await on.locator('.told').getByText("Pure-White's Chief Commander is free.").waitFor();

      await page.goto('/');
      await (await findGame(page, 'Play a friend: Citadel - 9 ranks')).click();
      await page.getByRole('radio', { name: /the match customs decide/ }).check();
      await page.getByRole('dialog').locator('button[type="submit"]').click();
      await page.waitForURL(/\/game\//);
      await other.goto(await page.getByLabel('Send this link to your friend').inputValue());
      const asked = (on) => on.getByRole('region', { name: 'Match customs' });
      await asked(page).getByRole('button', { name: '8', exact: true }).click();
      await asked(other).getByRole('button', { name: '9', exact: true }).click();
      for (const on of [page, other])
        await on
          .locator('.told')
          .getByText(/^The die shows \d, /)
          .waitFor();
    }),
  );
});

test('a network that stalls without closing anything is noticed within ten seconds', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    let stalled = false;
    await page.routeWebSocket('**/api/socket', (route) => {
      if (stalled) {
        void route.close();
        return;
      }
      const server = route.connectToServer();
      route.onMessage((message) => stalled || server.send(message));
      server.onMessage((message) => stalled || route.send(message));
    });
    await begin(person, page, { variant: 'chess' });
    await page.getByText('It is your turn').waitFor();
    stalled = true;
    const since = Date.now();
    await page.getByText('The connection is lost').waitFor();
    assert.ok(Date.now() - since < 10_500, `after ${Date.now() - since} ms`);
    stalled = false;
    await page.getByText('The connection is lost').waitFor({ state: 'detached', timeout: 30_000 });
  });
});

test('a game that moves within the server is come to again until it is there', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    let refusals = 0;
    await page.routeWebSocket('**/api/socket', (route) => {
      const server = route.connectToServer();
      route.onMessage((message) => {
        if (refusals > 0 && JSON.parse(message).type === 'join') {
          refusals -= 1;
          const text = 'the game moves to another part of the server; try again in a moment';
          route.send(JSON.stringify({ type: 'refused', of: 'join', code: 'busy', message: text }));
        } else server.send(message);
      });
    });
    await begin(person, page, { variant: 'chess' });
    await page.getByText('It is your turn').waitFor();
    refusals = 3;
    await page.reload();
    await page.getByText('It is your turn').waitFor();
    assert.equal(refusals, 0);
    assert.equal(await page.getByText('All games are on the first page').count(), 0);
  });
});
