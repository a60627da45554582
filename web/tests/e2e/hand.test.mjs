// What must not happen by a slip of the hand, and what must not be lost: second steps, buttons that stay, typing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGame, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const centre = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

/** Two people at a game of chess; gives White's and Black's page. */
async function table(wish, act) {
  const white = await here.person();
  const black = await here.person();
  await visit(white, (page) =>
    visit(black, async (other) => {
      const { id, seat, friend_seat } = await white.makeGame({ variant: 'chess', side: 'white', ...wish });
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      await page.getByText('It is your turn').waitFor();
      await other.getByRole('button', { name: 'Resign' }).waitFor();
      await act(page, other, id, white);
    }),
  );
}

test('whoever goes on pressing after the choice for the die aborts nothing', async () => {
  const south = await here.person();
  const north = await here.person();
  await visit(south, (page) =>
    visit(north, async (other) => {
      await page.goto('/');
      await (await findGame(page, 'Play a friend: Citadel - 9 ranks')).click();
      await page.getByRole('radio', { name: /the match customs decide/ }).check();
      await page.getByRole('dialog').locator('button[type="submit"]').click();
      await page.waitForURL(/\/game\//);
      const link = await page.getByLabel('Send this link to your friend').inputValue();
      await other.goto(link);
      const asked = (on) => on.getByRole('region', { name: 'Match customs' });
      await asked(page).getByRole('button', { name: '8', exact: true }).click();
      const last = asked(other).getByRole('button', { name: '9', exact: true });
      const [x, y] = await centre(last);
      for (let i = 0; i < 8; i++) {
        await other.mouse.click(x, y);
        await other.waitForTimeout(60);
      }
      await other.getByRole('grid').waitFor();
      await other.mouse.dblclick(x, y);
      // Wherever Abort stands: pressed twice in a row it asks and does nothing.
      await other.mouse.dblclick(...(await centre(other.getByRole('button', { name: 'Abort' }))));
      await other.getByRole('group', { name: /Call this game off/ }).waitFor();
      assert.equal((await south.snapshot(new URL(link).pathname.split('/').pop())).now.stage, 'playing');
    }),
  );
});

test('the buttons keep their places, whatever is offered; an answer takes no press at once', async () => {
  await table({}, async (page, other, id, white) => {
    const places = async () => {
      const names = ['Abort', 'Resign', /draw/i];
      return Promise.all(
        names.map(async (name) =>
          other
            .locator('.fixed')
            .getByRole('button', { name })
            // on the page, which a click on the board may scroll
            .evaluate((button) => {
              const { x, y, width, height } = button.getBoundingClientRect();
              return JSON.stringify({ x: x + scrollX, y: y + scrollY, width, height });
            }),
        ),
      );
    };
    const before = await places();
    await move(page, 'e2e4');
    await waitForPly(other, 1);
    assert.deepEqual(await places(), before);
    await page.getByRole('button', { name: 'Offer draw' }).click();
    const accept = other.getByRole('button', { name: 'Accept draw' });
    await accept.waitFor();
    assert.equal(await accept.isDisabled(), true);
    assert.deepEqual(await places(), before);
    await other.getByRole('button', { name: 'Decline draw' }).click();
    await accept.waitFor({ state: 'detached' });
    await move(other, 'e7e5');
    await waitForPly(page, 2);
    await move(page, 'g1f3');
    await waitForPly(other, 3);
    assert.deepEqual(await places(), before);
    await other.getByRole('button', { name: 'Resign' }).click();
    assert.deepEqual(await places(), before);
    await other.keyboard.press('Escape');
    await other.getByRole('button', { name: 'Yes, resign' }).waitFor({ state: 'detached' });
    assert.equal((await white.snapshot(id)).now.stage, 'playing');
    await other.getByRole('button', { name: 'Resign' }).click();
    await other.getByRole('button', { name: 'Yes, resign' }).click();
    await page.getByText('You won!').waitFor();
    await other.getByText('You lost').waitFor();
  });
});

test('moves are typed one after the other without a hand on the mouse; a slip is told in plain words', async () => {
  await table({}, async (page, other) => {
    const field = page.getByRole('textbox', { name: 'Type a move' });
    await field.focus();
    const told = page.getByRole('alert');
    await page.keyboard.type('king up');
    await page.keyboard.press('Enter');
    await told.filter({ hasText: '“king up” is not a move. Write it as' }).waitFor();
    await page.keyboard.type('Ke3');
    await page.keyboard.press('Enter');
    await told.filter({ hasText: '“Ke3” cannot be played here.' }).waitFor();
    assert.equal(await page.getByText(/no move|legal move|-square/).count(), 0);
    await page.keyboard.type('e4');
    await page.keyboard.press('Enter');
    await waitForPly(page, 1);
    // It is the other's turn: what is typed stays.
    await page.keyboard.type('Nf3');
    await page.keyboard.press('Enter');
    await page.getByText('It is not your turn yet').waitFor();
    await waitForPly(other, 1);
    await move(other, 'e7e5');
    await waitForPly(page, 2);
    await page.getByText('It is your turn').waitFor();
    assert.equal(await field.inputValue(), 'Nf3');
    assert.equal(await field.evaluate((input) => input === document.activeElement), true);
    await page.keyboard.press('Enter');
    await waitForPly(other, 3);
  });
});

test('an invitation taken back offers no rematch', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'chess', side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('button', { name: 'Yes, take it back' }).click();
    await page.getByText('The invitation was taken back').waitFor();
    assert.equal(await page.getByRole('button', { name: /rematch/i }).count(), 0);
    await page.getByRole('link', { name: 'Invite somebody else' }).click();
    await page.getByRole('dialog').getByText('play a friend').waitFor();
  });
});

test('PGN that cannot be read says so in plain words; a missing result is no fault', async () => {
  const person = await here.person();
  person.allowed.push(/status of 4\d\d/);
  await visit(person, async (page) => {
    await page.goto('/analysis/chess');
    await page.getByText('Bring in a game or a position').click();
    await page.getByLabel(/^PGN/).fill('1. e4 e5 2. Qh6');
    await page.getByRole('button', { name: 'Load' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Move 2 of the first side: “Qh6” cannot be played here.' })
      .waitFor();
    await page.getByLabel(/^PGN/).fill('1. e4 e5 2. Qh5');
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByRole('region', { name: 'Moves' }).getByRole('button', { name: 'Qh5' }).waitFor();
  });
});
