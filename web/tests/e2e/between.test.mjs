// What comes in between: a connection that is lost, a game that ends, a sign-in, at the wrong moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { register } from './lib/people.mjs';
import { click, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
/** What the browser says of a connection that is cut. */
const CUT = [/ERR_INTERNET_DISCONNECTED/, /WebSocket/];

/** Whether a piece is seen to stand on a square. */
const stands = (page, square) =>
  page.evaluate(
    (square) => [...document.querySelectorAll('cg-board piece')].some((piece) => piece.cgKey === square),
    square,
  );

/** Two who sit at a game. */
async function sit([one, page], [other, second], wish) {
  const { id, seat, friend_seat } = await one.makeGame({ side: 'white', ...wish });
  await page.goto(`/game/${id}#${seat}`);
  await second.goto(`/game/${id}#${friend_seat}`);
  await grid(page).waitFor();
  await grid(second).waitFor();
  return { id, seat, friend_seat };
}

/** Opens the lobby on Home and waits there for an opponent. */
async function wait(page) {
  const room = page.getByRole('region', { name: /^Find an opponent/ });
  const opener = room.getByRole('button', { name: /^Offer a game/ });
  const find = room.getByRole('button', { name: 'Find an opponent' });
  await opener.or(find).waitFor();
  if (await opener.count()) await opener.click();
  await find.click();
  await room.getByText('You are waiting').waitFor();
}

/** Takes the first offer of all. */
async function take(person) {
  const offers = await (await person.context.request.get('/api/lobby')).json();
  assert.equal(offers.seeks.length, 1);
  const answer = await person.context.request.post(`/api/lobby/seeks/${offers.seeks[0].id}/accept`, {
    data: { variant: 'chess' },
    headers: { origin: person.base },
  });
  assert.ok(answer.ok(), `${answer.status()} ${await answer.text()}`);
  return (await answer.json()).game;
}

test('a game that begins while the connection is down is gone to when it is back', async () => {
  const [one, other] = [await here.person(), await here.person()];
  one.allowed = CUT;
  await visit(one, async (page) => {
    await page.goto('/');
    await wait(page);
    await one.goOffline();
    const game = await take(other);
    await one.comeBack();
    await page.waitForURL(`**/game/${game}`);
    await grid(page).waitFor();
    const left = await (await other.context.request.get('/api/lobby')).json();
    assert.deepEqual(left.seeks, [], 'nobody waits for a second game');
  });
  await other.leave();
});

test('who signs in is called as the one who has come', async () => {
  const [known, guest, other] = [await here.person(), await here.person(), await here.person()];
  await visit(known, (page) => register(page, 'Returned'));
  await visit(guest, async (page) => {
    await page.goto('/');
    // In the lobby as a guest; the page is not loaded anew from here on.
    await page
      .getByText(/^Nobody else is here|other (person is|people are) here/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Returned');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/mine');
    await page
      .getByRole('link', { name: /^Husun/ })
      .first()
      .click();
    await wait(page);
    const game = await take(other);
    await page.waitForURL(`**/game/${game}`);
    await grid(page).waitFor();
  });
  await other.leave();
});

test('a move that waits to be confirmed waits on through a lost connection, and goes back when the game ends', async () => {
  const [one, other] = [await here.person(), await here.person()];
  one.allowed = CUT;
  await visit(one, (page) =>
    visit(other, async (second) => {
      const { id } = await sit([one, page], [other, second], { variant: 'chess' });
      await page.evaluate(() => localStorage.setItem('husun.confirm', 'on'));
      await page.reload();
      await grid(page).waitFor();
      const ask = page.getByRole('group', { name: /to e4/ });
      await click(page, 'e2');
      await click(page, 'e4');
      await ask.waitFor();
      await one.goOffline();
      await page.getByText('The connection is lost').waitFor();
      await one.comeBack();
      await page.getByText('The connection is lost').waitFor({ state: 'detached' });
      await ask.getByRole('button', { name: 'Play it' }).click();
      await waitForPly(second, 1);
      await move(second, 'e7e5');
      await waitForPly(page, 2);
      await click(page, 'g1');
      await click(page, 'f3');
      const knight = page.getByRole('group', { name: /g1 to f3/ });
      await knight.waitFor();
      assert.ok(await stands(page, 'f3'));
      await second.getByRole('button', { name: 'Resign' }).click();
      await second.getByRole('button', { name: /^Yes, resign/ }).click();
      await knight.waitFor({ state: 'detached' });
      await page.waitForFunction(() =>
        [...document.querySelectorAll('cg-board piece')].some((piece) => piece.cgKey === 'g1'),
      );
      assert.equal((await one.snapshot(id)).moves.length, 2);
    }),
  );
});

test('the board shows the game again when it ends while an answer is prepared', async () => {
  const [one, other] = [await here.person(), await here.person()];
  await visit(one, (page) =>
    visit(other, async (second) => {
      await sit([one, page], [other, second], { variant: 'chess', clock: 'days:3' });
      await move(page, 'e2e4');
      await waitForPly(second, 1);
      await page.getByRole('button', { name: 'Prepare an answer' }).click();
      await page.getByRole('status').filter({ hasText: 'play a move for your opponent' }).waitFor();
      await click(page, 'e7');
      await click(page, 'e5');
      await page.getByRole('status').filter({ hasText: 'now your answer' }).waitFor();
      assert.ok(await stands(page, 'e5'));
      await second.getByRole('button', { name: 'Resign' }).click();
      await second.getByRole('button', { name: /^Yes, resign/ }).click();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('cg-board piece')].some((piece) => piece.cgKey === 'e7'),
      );
    }),
  );
});

test('who opens a link that was used may watch, in the same tab as well', async () => {
  const [one, other, late] = [await here.person(), await here.person(), await here.person()];
  await visit(one, (page) =>
    visit(other, async (second) => {
      const { id, friend_seat } = await sit([one, page], [other, second], { variant: 'chess' });
      await visit(late, async (third) => {
        await third.goto(`/game/${id}#${friend_seat}`);
        await third.getByRole('alert').filter({ hasText: 'opens no seat' }).waitFor();
        await third.getByRole('button', { name: 'Watch the game' }).click();
        await grid(third).waitFor();
        await third.reload();
        await grid(third).waitFor();
        assert.equal(await third.getByRole('button', { name: 'Resign' }).count(), 0);
      });
    }),
  );
});

test('what is chosen without a connection can be chosen again', async () => {
  const [one, other] = [await here.person(), await here.person()];
  one.allowed = CUT;
  await visit(one, (page) =>
    visit(other, async (second) => {
      const { id, seat, friend_seat } = await one.makeGame({ family: 'Citadel', side: 'white' });
      await page.goto(`/game/${id}#${seat}`);
      await second.goto(`/game/${id}#${friend_seat}`);
      const asked = (on) => on.getByRole('region', { name: 'Match customs' });
      const nine = asked(page).getByRole('button', { name: '9', exact: true });
      await nine.waitFor();
      await one.goOffline();
      await page.getByText('The connection is lost').waitFor();
      await nine.click();
      await page.getByText('There is no connection just now').waitFor();
      await one.comeBack();
      await nine.click();
      await asked(page).getByText('You named 9').waitFor();
      await asked(second).getByRole('button', { name: '9', exact: true }).click();
      await grid(page).waitFor();
      assert.equal((await one.snapshot(id)).variant, 'citadel9');
    }),
  );
});

test('an address that cannot be read leads to a page that says so', async () => {
  await visit(await here.person(), async (page) => {
    await page.goto('/person/50%');
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });
});

test('after a passing failure the analysis board asks again', async () => {
  const one = await here.person();
  one.allowed = [/503/];
  await visit(one, async (page) => {
    const busy = 'Too much is going on.';
    let fails = true;
    await page.route('**/api/position', (route) => {
      if (!fails) return route.continue();
      fails = false;
      return route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ code: 'busy', message: busy }),
      });
    });
    await page.goto('/analysis/chess?moves=e2e4');
    await page.getByText(busy).waitFor();
    await grid(page).waitFor();
    // and once more at a place that it has not asked about
    fails = true;
    await page.keyboard.press('ArrowLeft');
    await page.getByText(busy).waitFor();
    await page.getByText(busy).waitFor({ state: 'detached' });
    await click(page, 'd2');
    await click(page, 'd4');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('cg-board piece')].some((piece) => piece.cgKey === 'd4'),
    );
  });
});

test('keys in the settings do nothing to the board behind', async () => {
  await visit(await here.person(), async (page) => {
    await page.goto('/analysis/chess?moves=e2e4');
    await page.locator('[aria-current]', { hasText: 'e4' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Done' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForTimeout(300);
    assert.equal(await page.locator('[aria-current]', { hasText: 'e4' }).count(), 1);
  });
});
