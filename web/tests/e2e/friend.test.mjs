// Two people, two browsers, one game.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click, findGame, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

test('a game by link to mate, with draw offer, takeback, chat, lost connection and a watcher', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      // The link is made on the page and opened by the friend.
      await page.goto('/');
      await (await findGame(page, 'Play a friend: Chess')).click();
      await page.getByRole('dialog').locator('button[type="submit"]').click();
      await page.waitForURL(/\/game\//);
      const link = await page.getByLabel('Send this link to your friend').inputValue();
      assert.match(link, /\/game\/[^#]+#.+/);
      await other.goto(link);
      await other.waitForFunction(() => location.hash === '');
      const id = new URL(link).pathname.split('/').pop();

      await move(page, 'f2f3');
      await waitForPly(other, 1);
      await move(other, 'e7e5');
      await waitForPly(page, 2);

      // A draw is offered and declined.
      await page.getByRole('button', { name: 'Offer draw' }).click();
      await other.getByRole('button', { name: 'Decline draw' }).click();
      await page.getByRole('button', { name: 'Offer draw' }).waitFor();

      // A move is taken back with consent.
      await move(page, 'a2a4');
      await waitForPly(other, 3);
      await page.getByRole('button', { name: 'Take back' }).click();
      await other.getByRole('button', { name: 'Accept take back' }).click();
      await page.locator('[data-ply="3"]').waitFor({ state: 'detached' });
      await other.locator('[data-ply="3"]').waitFor({ state: 'detached' });
      assert.equal((await south.snapshot(id)).now.ply, 2);

      // The players talk; nobody else hears it.
      await page.getByRole('textbox', { name: /message|chat|say/i }).fill('<b>good luck</b>');
      await page.keyboard.press('Enter');
      await other.getByText('<b>good luck</b>').waitFor();

      // The connection is lost and comes back; the move made meanwhile is there.
      north.allowed.push(/ERR_INTERNET_DISCONNECTED/, /WebSocket/);
      await north.goOffline();
      await other.getByText('The connection is lost').waitFor();
      await page.getByLabel('is away').waitFor();
      await move(page, 'g2g4');
      await waitForPly(page, 3);
      await north.comeBack();
      await waitForPly(other, 3);
      await page.getByLabel('is away').waitFor({ state: 'detached' });

      // Someone watches: no seat, no chat.
      const watcher = await here.person();
      await visit(watcher, async (watching) => {
        await watching.goto(`/game/${id}`);
        await waitForPly(watching, 3);
        assert.equal(await watching.getByText('good luck').count(), 0);
        assert.equal(await watching.getByRole('button', { name: 'Resign' }).count(), 0);
        await move(other, 'd8h4');
        await watching.getByText('by checkmate').waitFor();
      });
      await page.getByText('by checkmate').waitFor();
      assert.deepEqual((await south.snapshot(id)).now.result, {
        winner: 'black',
        reason: 'checkmate',
        points: { white: 0, black: 1 },
      });

      // A rematch with sides changed.
      await page.getByRole('button', { name: 'Propose a rematch' }).click();
      await other.getByRole('button', { name: 'Agree to a rematch' }).click();
      await page.waitForURL((url) => url.pathname.startsWith('/game/') && !url.pathname.endsWith(id));
      const next = page.url().split('/').pop();
      assert.equal((await south.snapshot(next)).own, 'black');
    }),
  );
});

test('a move entered ahead is played when the turn comes, a seat works on another device', async () => {
  const first = await here.person();
  const second = await here.person();
  await visit(first, (page) =>
    visit(second, async (other) => {
      const { id, seat, friend_seat } = await first.makeGame({ variant: 'chess', side: 'white' });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      await other.getByRole('grid').waitFor();
      await click(other, 'e7');
      await click(other, 'e5');
      await move(page, 'e2e4', { by: 'drag' });
      await waitForPly(page, 2);
      assert.deepEqual(
        (await first.snapshot(id)).moves.map((played) => played.uci),
        ['e2e4', 'e7e5'],
      );

      const tablet = await here.person();
      await visit(tablet, async (elsewhere) => {
        await elsewhere.goto(`/game/${id}#${seat}`);
        await waitForPly(elsewhere, 2);
        await move(elsewhere, 'g1f3');
        await waitForPly(page, 3);
      });
    }),
  );
});

test('a server that is killed and started again has lost nothing', async () => {
  const first = await here.person();
  const second = await here.person();
  await visit(first, (page) =>
    visit(second, async (other) => {
      const { id, seat, friend_seat } = await first.makeGame({
        variant: 'chess',
        side: 'white',
        clock: 'fischer:5m+3s',
      });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      await move(page, 'd2d4');
      await waitForPly(other, 1);
      for (const person of [first, second])
        person.allowed.push(
          /ERR_(CONNECTION_(REFUSED|RESET)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/,
          /WebSocket/,
        );
      await here.server.restart();
      await other.getByText('The connection is lost').waitFor({ state: 'detached' });
      await waitForPly(other, 1);
      await move(other, 'd7d5');
      await waitForPly(page, 2);
    }),
  );
});

test('only people with the link watch a game of friends, unless everybody may', async () => {
  const maker = await here.person();
  const friend = await here.person();
  await visit(maker, (page) =>
    visit(friend, async (other) => {
      const titles = [];
      for (const everybody of [false, true]) {
        await page.goto('/');
        await (await findGame(page, 'Play a friend: Chess')).click();
        const dialog = page.getByRole('dialog');
        const choice = dialog.getByRole('group', { name: 'Who may watch' });
        assert.equal(
          await choice.getByRole('radio', { name: /Only people with the link/ }).isChecked(),
          true,
        );
        if (everybody) await choice.getByRole('radio', { name: /Everybody/ }).check();
        await dialog.getByRole('button', { name: 'Start' }).click();
        const link = await page.getByLabel('Send this link to your friend').inputValue();
        await other.goto(link);
        await other.getByRole('grid').waitFor();
        await page.getByText('Links to this game').click();
        const told = everybody ? 'Everybody can find this game' : 'Only people with this link may watch';
        await page.getByText(told).waitFor();
        titles.push(new URL(page.url()).pathname);
      }
      const stranger = await here.person();
      await visit(stranger, async (watching) => {
        await watching.goto('/watch');
        const list = watching.getByRole('main');
        await list.locator(`a[href="${titles[1]}"]`).waitFor();
        assert.equal(await list.locator(`a[href="${titles[0]}"]`).count(), 0);
        await watching.goto('/mine');
        await watching.getByText('You have no games yet').waitFor();
        await watching.goto(titles[0]);
        await watching.getByRole('grid').waitFor();
      });
    }),
  );
});

test('a name is chosen, own games and games to watch are listed, a game is given up', async () => {
  const first = await here.person();
  const second = await here.person();
  await visit(first, (page) =>
    visit(second, async (other) => {
      await page.goto('/mine');
      await page.getByText('You have no games yet').waitFor();
      await page.getByLabel('Your name in games').fill('Zenobia & sons');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();

      const { id, seat, friend_seat } = await first.makeGame({
        variant: 'grand',
        side: 'white',
        public: true,
      });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      await other.getByText('Zenobia & sons').first().waitFor();
      await move(page, 'e3e4');
      await waitForPly(other, 1);

      await page.goto('/');
      await page.getByRole('region', { name: 'Your games' }).getByRole('link').first().waitFor();
      const stranger = await here.person();
      await visit(stranger, async (watching) => {
        await watching.goto('/watch');
        const list = watching.getByRole('main');
        await list.getByRole('link').filter({ hasText: 'Zenobia & sons' }).click();
        await waitForPly(watching, 1);
        await other.getByRole('button', { name: 'Abort' }).click();
        await other.getByRole('button', { name: 'Yes, call it off' }).click();
        await watching.getByText('called off before it counted').waitFor();
      });
      await page.goto('/mine');
      await page.getByText('Games that were called off (1)').click();
      await page.getByRole('link').filter({ hasText: 'Grand chess' }).click();
      await page.getByText('called off before it counted').waitFor();
    }),
  );
});
