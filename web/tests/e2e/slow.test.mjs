// Games over days: answers that are prepared on the board, notes, the next game, and a fortnight that goes by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { click, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The server is away for a moment at each restart. */
const AWAY = [/net::ERR_|WebSocket connection|\b503\b/];

/** Goes to a page as somebody whom the server knows already: what is asked beside the page is asked by the same one. */
async function come(person, page, path) {
  await person.context.request.get('/api/me');
  await page.goto(path);
}

/** A game of two who are paired in the lobby, the first of them on the side that moves first. */
async function pair(one, other, variant) {
  const seek = async (person, side) => {
    const answer = await person.context.request.post('/api/lobby/seeks', {
      data: { games: [variant], clocks: ['days:3'], side },
      headers: { origin: person.base },
    });
    return (await answer.json()).paired?.game;
  };
  await seek(one, 'white');
  return seek(other, 'black');
}

/** Moves on the board where an answer is being prepared; told what the page says then. */
async function prepare(page, uci, said) {
  await click(page, uci.slice(0, 2));
  await click(page, uci.slice(2));
  await page.getByRole('status').filter({ hasText: said }).waitFor();
}

test('answers prepared on the board are played the moment they are due, over a fortnight', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  one.allowed = other.allowed = AWAY;
  await visit(one, async (ann) => {
    await visit(other, async (bob) => {
      await Promise.all([come(one, ann, '/mine'), come(other, bob, '/mine')]);
      const game = await pair(one, other, 'chess');
      const second = await pair(one, other, 'shatranj');
      await ann.goto(`/game/${game}`);
      await grid(ann).waitFor();
      await move(ann, 'e2e4');
      await waitForPly(ann, 1);
      // The way to the next game.
      const next = ann.getByRole('link', { name: /^Next game: your turn in one more/ });
      await next.waitFor();
      assert.equal(await next.getAttribute('href'), `/game/${second}`);

      await ann.getByRole('button', { name: 'Prepare an answer' }).click();
      await prepare(ann, 'e7e5', '1… e5 : now your answer');
      await prepare(ann, 'g1f3', '1… e5 2. Nf3 : keep it');
      await fits(ann);
      await ann.getByRole('button', { name: 'Keep this answer' }).click();
      await ann.getByRole('listitem').filter({ hasText: '1… e5 2. Nf3' }).waitFor();
      // By typing nothing is prepared: it is the opponent's turn.
      assert.equal(
        await ann.getByRole('status').filter({ hasText: 'play a move for your opponent' }).count(),
        0,
      );
      // The same beginning, longer: it takes the other's place.
      await ann.getByRole('button', { name: 'Prepare an answer' }).click();
      await prepare(ann, 'e7e5', '1… e5');
      await prepare(ann, 'g1f3', '2. Nf3');
      await prepare(ann, 'b8c6', '2. Nf3 Nc6');
      await prepare(ann, 'f1b5', '3. Bb5');
      await ann.getByRole('button', { name: 'Keep this answer' }).click();
      await ann.getByRole('listitem').filter({ hasText: '1… e5 2. Nf3 Nc6 3. Bb5' }).waitFor();
      assert.equal(await ann.getByRole('button', { name: /^Forget/ }).count(), 1);
      await ann.getByText('Notes to yourself').click();
      await ann.getByRole('textbox', { name: 'Notes to yourself' }).fill('The Spanish, if it comes.');
      await ann.getByText('Kept.').waitFor();
      await ann.goto('/');

      // Two days later, and after a restart, Bob answers; Ann is not here.
      await here.server.restart({ days: 2 });
      await bob.goto(`/game/${game}`);
      await grid(bob).waitFor();
      assert.equal(await bob.getByText('Prepared answers').count(), 0, 'it is his turn');
      await move(bob, 'e7e5');
      await waitForPly(bob, 3);
      await here.server.restart({ days: 2 });
      await bob.goto(`/game/${game}`);
      await move(bob, 'b8c6');
      await waitForPly(bob, 5);
      await fits(bob);
      assert.equal(await bob.getByText('Bb5').count(), 1);

      // Days go by: each has three for a move, and who lets them pass loses.
      await here.server.restart({ days: 2 });
      await bob.goto(`/game/${game}`);
      await move(bob, 'a7a6');
      await waitForPly(bob, 6);
      await ann.goto(`/game/${game}`);
      await ann.getByText('It is your turn.').waitFor();
      assert.equal(await ann.getByText('Prepared answers').count(), 0);
      await ann.getByText('Notes to yourself').click();
      const note = ann.getByRole('textbox', { name: 'Notes to yourself' });
      await ann.waitForFunction(
        (box) => box.value === 'The Spanish, if it comes.',
        await note.elementHandle(),
      );
      await move(ann, 'b5a4');
      await waitForPly(ann, 7);
      await here.server.restart({ days: 4 });
      await ann.goto(`/game/${game}`);
      await ann.getByText('on time').first().waitFor();
      // Nothing was lost.
      const { moves } = await one.snapshot(game);
      assert.deepEqual(
        moves.map((m) => m.san),
        ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'a6', 'Ba4'],
      );
    });
  });
});

test('on vacation the clock stands still, and the opponent sees why', async () => {
  const [one, other] = [await here.person(), await here.person(PHONE)];
  one.allowed = other.allowed = AWAY;
  await visit(one, async (ann) => {
    await visit(other, async (bob) => {
      await register(bob, 'Holidays');
      await come(one, ann, '/mine');
      const game = await pair(one, other, 'chess');
      await ann.goto(`/game/${game}`);
      await grid(ann).waitFor();
      await move(ann, 'e2e4');
      await waitForPly(ann, 1);
      await bob.goto('/account');
      await bob.getByRole('spinbutton', { name: 'days' }).fill('12');
      await bob.getByRole('button', { name: 'Go on vacation' }).click();
      await bob.getByText('You are on vacation until').waitFor();
      await fits(bob);
      await ann.getByText('on vacation').waitFor();
      await fits(ann);
      await here.server.restart({ days: 10 });
      await ann.goto(`/game/${game}`);
      await ann.getByText('on vacation').waitFor();
      assert.equal((await one.snapshot(game)).now.stage, 'playing');
      await bob.goto('/account');
      await bob.getByRole('button', { name: 'I am back' }).click();
      await bob.getByText('29 of 30 days are left').waitFor();
      await ann.getByText('on vacation').waitFor({ state: 'detached' });
      await bob.goto(`/game/${game}`);
      await move(bob, 'e7e5');
      await waitForPly(ann, 2);
    });
  });
});
