// The lobby: two and three people who find each other, by an offer, by waiting, by a challenge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { grid, waitForPly, move } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function lobby(page) {
  await page.goto('/');
  const room = page.getByRole('region', { name: /^Find an opponent/ });
  const opener = room.getByRole('button', { name: /^Offer a game/ });
  const find = room.getByRole('button', { name: 'Find an opponent' });
  await opener.or(find).waitFor();
  if (await opener.count()) await opener.click();
  await find.waitFor();
  return room;
}

async function choose(room, game) {
  await room.locator('summary', { hasText: 'Games:' }).click();
  await room.getByRole('button', { name: game, exact: true }).click();
}

test('an offer is seen by others at once, and one click begins the game', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  await visit(one, async (page) => {
    const room = await lobby(page);
    await choose(room, 'Shatranj');
    await visit(other, async (phone) => {
      const its = await lobby(phone);
      await its.getByText('One other person is here').waitFor();
      await room.getByRole('button', { name: 'Find an opponent' }).click();
      await room.getByText('You are waiting').waitFor();
      await fits(page);
      const play = its.getByRole('button', { name: /^Play Guest.*: Shatranj, 10 min/ });
      await play.waitFor();
      await fits(phone);
      await play.click();
      await phone.waitForURL('**/game/*');
      await page.waitForURL('**/game/*');
      assert.equal(new URL(page.url()).pathname, new URL(phone.url()).pathname);
      await Promise.all([grid(page).waitFor(), grid(phone).waitFor()]);
      // One of them moves first, without any link.
      const first = (await page.getByText('Your turn').count()) ? page : phone;
      const board = await grid(first).locator('[data-square="a3"]').count();
      assert.equal(board, 1);
    });
  });
});

test('an offer for people only says so, and stays so for the next one', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  await visit(one, async (page) => {
    const room = await lobby(page);
    await choose(room, 'Grand chess');
    await room.getByLabel('Opponents').selectOption({ label: 'People only' });
    await visit(other, async (phone) => {
      const its = await lobby(phone);
      await room.getByRole('button', { name: 'Find an opponent' }).click();
      await room.getByText(/You are waiting.*people only/).waitFor();
      await fits(page);
      await its.getByText(/people only/).waitFor();
      await fits(phone);
      await room.getByRole('button', { name: 'Withdraw' }).click();
      await its.getByText(/people only/).waitFor({ state: 'detached' });
    });
    await page.reload();
    const again = await lobby(page);
    assert.equal(await again.getByLabel('Opponents').inputValue(), 'people');
  });
});

test('who waits plays the engine meanwhile, and is called when somebody fits', async () => {
  const [one, other] = [await here.person(), await here.person()];
  await visit(one, async (page) => {
    const room = await lobby(page);
    await room.getByRole('button', { name: '3+2', exact: true }).click();
    await room.getByRole('button', { name: 'Find an opponent' }).click();
    await room.getByText('You are waiting').waitFor();
    await room.getByRole('button', { name: 'Play the engine meanwhile' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL('**/game/*');
    await grid(page).waitFor();
    const engine = page.url();
    await visit(other, async (second) => {
      const its = await lobby(second);
      await choose(its, 'Grand chess');
      await its.getByRole('button', { name: '3+2', exact: true }).click();
      await its.getByRole('button', { name: '10+5', exact: true }).click();
      await its.getByRole('button', { name: 'Find an opponent' }).click();
      await second.waitForURL('**/game/*');
      await page.getByRole('alert').filter({ hasText: 'plays Grand chess with you' }).waitFor();
      assert.equal(page.url(), engine, 'nobody is taken away from a board');
      await fits(page);
      await page.getByRole('button', { name: 'Go to the game' }).click();
      await page.waitForURL(second.url());
      await grid(page).waitFor();
    });
  });
});

test('a level of the engine is one click away, rated for one who is signed in', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await register(page, 'Lobby_1');
    const room = await lobby(page);
    await choose(room, 'Chess');
    await room.getByRole('checkbox', { name: 'Rated' }).check();
    await room.getByText('Chess, 10 min + 5 s a move, rated').waitFor();
    await room.getByRole('button', { name: /^Level 2 / }).click();
    await page.waitForURL('**/game/*');
    await page.locator('.rating', { hasText: '1500?' }).waitFor();
  });
});

test('a challenge is told wherever one is, declined with a reason, or accepted', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  one.allowed = [/409 \(Conflict\)/];
  await visit(one, async (ann) => {
    await register(ann, 'Challenger');
    await visit(other, async (bob) => {
      await register(bob, 'Challenged');
      await bob.goto('/rules');
      const challenge = async () => {
        await ann.goto('/person/challenged');
        await ann.getByRole('button', { name: 'Challenge', exact: true }).click();
        const dialog = ann.getByRole('dialog');
        await dialog.getByRole('combobox', { name: 'Game' }).selectOption('chess');
        await dialog.getByRole('combobox', { name: 'Your side' }).selectOption('white');
        await dialog.getByRole('checkbox', { name: 'Rated' }).check();
        await fits(ann);
        await dialog.getByRole('button', { name: 'Challenge' }).click();
        await dialog.getByText('has been told').waitFor();
        await dialog.getByRole('button', { name: 'Good' }).click();
      };
      await challenge();
      const note = bob.getByRole('status').filter({ hasText: 'challenges you: Chess' });
      await note.waitFor();
      await note.getByRole('button', { name: 'Decline…' }).click();
      await fits(bob);
      await note.getByRole('button', { name: 'With a slower clock' }).click();
      await note.waitFor({ state: 'detached' });
      const answer = ann.getByRole('status').filter({ hasText: 'a slower clock would be welcome' });
      await answer.waitFor();
      await fits(ann);
      await answer.getByRole('button', { name: 'Good' }).click();
      await answer.waitFor({ state: 'detached' });

      await challenge();
      // Out of the way, and still there where one's games are.
      await note.getByRole('button', { name: 'Hide the challenge of Challenger' }).click();
      await note.waitFor({ state: 'detached' });
      await bob.getByRole('link', { name: 'Learn', exact: true }).click();
      await bob.getByRole('heading', { name: 'Learn a game' }).waitFor();
      assert.equal(await note.count(), 0);
      await bob.getByRole('link', { name: /^(My )?games$/i }).click();
      await note.waitFor();
      assert.equal(await note.getByRole('button', { name: /^Hide/ }).count(), 0);
      await note.getByRole('button', { name: 'Play' }).click();
      await bob.waitForURL('**/game/*');
      await ann.waitForURL(bob.url());
      await grid(ann).waitFor();
      await move(ann, 'e2e4');
      await waitForPly(bob, 1);

      // Who is not played with cannot challenge.
      await bob.goto('/person/challenger');
      await bob.getByRole('button', { name: 'Do not play with Challenger' }).click();
      await bob.getByRole('button', { name: 'Play with Challenger again' }).waitFor();
      await ann.goto('/person/challenged');
      await ann.getByRole('button', { name: 'Challenge', exact: true }).click();
      await ann.getByRole('dialog').getByRole('button', { name: 'Challenge' }).click();
      await ann.getByText('does not take challenges from you').waitFor();
    });
  });
});
