// Watching: games as they are played, the talk of those who watch, people who are followed and muted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const ACROSS = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true };

/** Two at a board that everybody may watch, both having moved. */
async function game(one, other, act) {
  await visit(one, (white) =>
    visit(other, async (black) => {
      const made = await one.makeGame({ variant: 'chess', side: 'white', public: true });
      await white.goto(`/game/${made.id}#${made.seat}`);
      await black.goto(`/game/${made.id}#${made.friend_seat}`);
      await move(white, 'e2e4');
      await waitForPly(black, 1);
      await move(black, 'e7e5');
      await waitForPly(white, 2);
      await act(white, black, made.id);
    }),
  );
}

async function resign(page) {
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes, resign' }).click();
}

test('the watch page and Home show a game as it is played', async () => {
  const [one, other] = [await here.person(), await here.person()];
  const [watcher, phone] = [await here.person(), await here.person(PHONE)];
  await game(one, other, async (white, black, id) => {
    const own = await watcher.makeGame({ variant: 'citadel9', level: 1, side: 'white' });
    await visit(watcher, (page) =>
      visit(phone, async (small) => {
        // A second kind of game, in which nobody has moved.
        await page.goto(`/game/${own.id}#${own.seat}`);
        await grid(page).waitFor();
        const other = await page.context().newPage();
        await other.goto('/watch');
        const tile = other.locator(`a[href="/game/${id}"]`);
        await tile.getByText('move 2').waitFor();
        await small.goto('/');
        const best = small.getByRole('region', { name: 'The best games now' });
        await best.locator(`a[href="/game/${id}"]`).getByText('move 2').waitFor();
        assert.equal(await best.getByRole('link').count(), 1, 'where both have moved');
        await fits(small);

        // What is played is seen without a reload.
        await move(white, 'g1f3');
        await waitForPly(black, 3);
        await move(black, 'b8c6');
        await waitForPly(white, 4);
        for (const place of [tile, best]) {
          await place.getByText('move 3').waitFor();
          await place.locator('img[src*="2n5"]').waitFor();
        }
        await fits(other);
        assert.equal((await one.snapshot(id)).now.watchers, 0, 'nobody has come to the game by that');

        // By game: the kinds that are played, each with how many.
        const kinds = other.getByRole('navigation', { name: 'Games' });
        await kinds.getByRole('link', { name: 'Citadel (1)' }).click();
        await other.waitForURL(/game=citadel/);
        await other.locator(`a[href="/game/${own.id}"]`).waitFor();
        assert.equal(await tile.count(), 0);
        await kinds.getByRole('link', { name: /^All \(\d+\)$/ }).focus();
        await other.keyboard.press('Enter');
        await tile.waitFor();
        await other.emulateMedia({ colorScheme: 'dark' });
        await fits(other);
        await other.emulateMedia({ colorScheme: 'light' });

        // The end is seen, too; then by keyboard to the game.
        await resign(black);
        await tile.getByText('by resignation').waitFor();
        await best.getByText('by resignation').waitFor();
        await tile.focus();
        await other.keyboard.press('Enter');
        await other.waitForURL(`**/game/${id}`);
        await grid(other).waitFor();
        await small.goto('/watch');
        await small.locator(`a[href="/game/${own.id}"]`).waitFor();
        assert.equal(await small.locator(`a[href="/game/${id}"]`).count(), 0);
        await fits(small);
      }),
    );
  });
});

test('those who watch talk, and the players read it when the game is over', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  const [first, second] = [await here.person(), await here.person(ACROSS)];
  await game(one, other, (white, black, id) =>
    visit(first, (page) =>
      visit(second, async (across) => {
        await register(page, 'Talker');
        await page.goto(`/game/${id}`);
        await across.goto(`/game/${id}`);
        const talk = (page) => page.getByRole('region', { name: "Watchers' talk" });
        await talk(page).getByText('The players can read it when the game is over').waitFor();
        await talk(across).waitFor();
        await talk(page).getByRole('textbox', { name: 'Message' }).fill('What a <b>blunder</b>');
        await page.keyboard.press('Enter');
        await talk(across).getByText('What a <b>blunder</b>').waitFor();
        await talk(across).getByRole('textbox', { name: 'Message' }).fill('Not at all');
        await talk(across).getByRole('button', { name: 'Send' }).click();
        await talk(page).getByText('Not at all').waitFor();
        await fits(page);
        await fits(across);
        // It is there when one comes again.
        await across.reload();
        await talk(across).getByText('What a <b>blunder</b>').waitFor();

        // The players talk besides, and have no word of the others.
        await white.getByRole('region', { name: 'Chat' }).getByRole('textbox').fill('Hello');
        await white.keyboard.press('Enter');
        await black.getByText('Hello').waitFor();
        await white.reload();
        await white.getByRole('region', { name: 'Chat' }).getByText('Hello').waitFor();
        for (const player of [white, black]) {
          assert.equal(await player.getByText('blunder').count(), 0);
          assert.equal(await talk(player).count(), 0);
        }
        await resign(black);
        for (const player of [white, black]) {
          await talk(player).getByText('What a <b>blunder</b>').waitFor();
          assert.equal(await talk(player).getByRole('textbox').count(), 0, 'to read, not to write');
          await fits(player);
        }
      }),
    ),
  );
});

test('who is followed is seen playing; who is muted is not read', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  await visit(one, (ann) =>
    visit(other, async (bob) => {
      await register(ann, 'Watched_1');
      await register(bob, 'Fan_1');
      await bob.goto('/person/Watched_1');
      await bob.getByRole('button', { name: 'Follow Watched_1' }).click();
      await bob.getByText('You follow Watched_1').waitFor();
      await fits(bob);
      await bob.goto('/mine');
      const followed = bob.getByRole('region', { name: 'People you follow' });
      await followed.getByText('here within the last two hours').waitFor();

      const made = await one.makeGame({ variant: 'shatranj', level: 1, side: 'white' });
      await ann.goto(`/game/${made.id}#${made.seat}`);
      await move(ann, 'e2e3');
      await waitForPly(ann, 2);
      await bob.reload();
      await followed.getByText('just now').waitFor();
      await fits(bob);
      await followed.getByRole('link', { name: 'Shatranj' }).click();
      await bob.waitForURL(`**/game/${made.id}`);
      await grid(bob).waitFor();
      await ann.goto(`/game/${made.id}`);
      await resign(ann);
      await ann.getByText('by resignation').first().waitFor();

      // What was played is counted by game and side.
      await bob.goto('/person/Watched_1');
      const row = bob.getByRole('region', { name: 'Results' }).getByRole('row').nth(1);
      assert.match(await row.innerText(), /Shatranj\s+White\s+0\s+0\s+1/);
      await fits(bob);

      // A game of the two: one of them is muted at the chat's line, and read again on the profile.
      const friends = await one.makeGame({ variant: 'chess', side: 'white' });
      await ann.goto(`/game/${friends.id}#${friends.seat}`);
      await bob.goto(`/game/${friends.id}#${friends.friend_seat}`);
      const chat = (page) => page.getByRole('region', { name: 'Chat' });
      await chat(ann).getByRole('textbox').fill('You will lose');
      await ann.keyboard.press('Enter');
      await chat(bob).getByText('You will lose').waitFor();
      await chat(bob).getByRole('button', { name: 'Mute Watched_1' }).click();
      await chat(bob).getByText('What Watched_1 writes is not shown to you').waitFor();
      assert.equal(await chat(bob).getByText('You will lose').count(), 0);
      await chat(ann).getByRole('textbox').fill('Surely');
      await ann.keyboard.press('Enter');
      await chat(bob).getByRole('textbox').fill('Hm');
      await bob.keyboard.press('Enter');
      await chat(ann).getByText('Hm').waitFor();
      assert.equal(await chat(bob).getByText('Surely').count(), 0);
      await fits(bob);
      await bob.goto('/person/Watched_1');
      await bob.getByText('What Watched_1 says in chat is not shown to you').waitFor();
      await fits(bob);
      await bob.getByRole('button', { name: 'Read Watched_1 in chat again' }).click();
      await bob.getByRole('button', { name: 'Mute Watched_1 in chat' }).waitFor();
      await bob.getByRole('button', { name: 'Do not follow Watched_1 any more' }).click();
      await bob.getByRole('button', { name: 'Follow Watched_1' }).waitFor();
      await bob.goto(`/game/${friends.id}`);
      await chat(bob).getByText('Surely').waitFor();
      await bob.goto('/mine');
      await bob.getByRole('heading', { name: 'My games' }).waitFor();
      assert.equal(await followed.count(), 0);
    }),
  );
});
