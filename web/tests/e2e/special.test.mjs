// Moves of special kinds and endings of special kinds, each on the page's board.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, click, move, square, waitForPly, walk } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** Two people at a game made from a position. `act` gets White's and Black's page. */
async function table(wish, act) {
  const white = await here.person();
  const black = await here.person();
  await visit(white, (page) =>
    visit(black, async (other) => {
      const made = await white.makeGame({ side: 'white', ...wish });
      await page.goto(`/game/${made.id}#${made.seat}`);
      await other.goto(`/game/${made.id}#${made.friend_seat}`);
      await page.getByRole('grid').waitFor();
      await other.getByRole('grid').waitFor();
      await act(page, other, made.id, white);
    }),
  );
}

test('promotion: the chooser can be let be, and taken by keyboard', async () => {
  await table({ variant: 'chess', fen: '7k/P7/8/8/8/8/8/K7 w - - 0 1' }, async (page, other, id, white) => {
    await click(page, 'a7');
    await click(page, 'a8');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(await square(page, 'a7').getAttribute('aria-label'), /White's Pawn/);
    await walk(page, 'a7');
    await page.keyboard.press('Enter');
    await walk(page, 'a8');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await choose(page, 'Knight');
    await waitForPly(other, 1);
    assert.equal((await white.snapshot(id)).moves[0].uci, 'a7a8n');
    assert.match(await square(other, 'a8').getAttribute('aria-label'), /White's Knight/);
  });
});

test('promotion may be optional: a Pawn of Grand chess stays a Pawn', async () => {
  await table(
    { variant: 'grand', fen: '5k4/10/10/1P8/10/10/10/10/10/4K5 w - - 0 1' },
    async (page, other, id, white) => {
      await click(page, 'b7');
      await click(page, 'b8');
      await choose(page, 'stay Pawn');
      await waitForPly(other, 1);
      assert.equal((await white.snapshot(id)).moves[0].uci, 'b7b8');
      await move(other, 'f10e10');
      await waitForPly(page, 2);
      await click(page, 'b8');
      await click(page, 'b9');
      await choose(page, 'Marshal');
      await waitForPly(other, 3);
      assert.equal((await white.snapshot(id)).moves[2].uci, 'b8b9c');
    },
  );
});

test('castling: the King of Capablanca chess goes three squares, by drag', async () => {
  const fen = 'rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/R4K3R w KQkq - 0 1';
  await table({ variant: 'capablanca', fen }, async (page, other, id, white) => {
    await move(page, 'f1i1', { by: 'drag' });
    await waitForPly(other, 1);
    assert.match(await square(page, 'i1').getAttribute('aria-label'), /White's King/);
    assert.match(await square(other, 'h1').getAttribute('aria-label'), /White's Rook/);
    assert.match((await white.snapshot(id)).moves[0].san, /^O-O/);
  });
});

test('TigerSquares: the Queen Traverses, the opponent makes the Kings Emperors', async () => {
  const fen = 'bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQK1PSB w KQkq - - 0 1';
  await table({ variant: 'strike80', fen }, async (page, other, id, white) => {
    await move(page, 'e1g1e');
    await waitForPly(other, 1);
    assert.match(await square(other, 'g1').getAttribute('aria-label'), /South Region's Empress/);
    // What cannot be undone is asked a second time.
    await other.getByRole('button', { name: /Make the Kings Emperors/ }).click();
    await other.getByRole('button', { name: 'No, not now' }).click();
    await other.getByRole('button', { name: /Make the Kings Emperors/ }).click();
    await other.getByRole('button', { name: 'Yes, make them Emperors' }).click();
    await waitForPly(page, 2);
    assert.equal((await white.snapshot(id)).moves[1].uci, 'e8e8');
    await page.getByText('All Kings are Emperors now.').first().waitFor();
    assert.match(await square(page, 'f1').getAttribute('aria-label'), /South Region's Emperor/);
    assert.match(await square(page, 'f8').getAttribute('aria-label'), /North Region's Emperor/);
  });
});

test('TigerSquares: the Counsellor is asked once, when the choice of Emperors stands', async () => {
  const fen = 'bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQK1PSB w KQkq - - 0 1';
  await table({ variant: 'strike80', fen, clock: 'tiger:5m+5s' }, async (page, other, id) => {
    await other.getByRole('button', { name: 'Appoint the engine' }).click();
    await other.getByText('Your Counsellor is the engine').waitFor();
    assert.equal(await other.getByRole('button', { name: 'Ask the Counsellor' }).count(), 0);
    await move(page, 'e1g1e');
    await other.getByRole('button', { name: 'Ask the Counsellor' }).click();
    await other.locator('blockquote').waitFor();
    assert.equal(await other.getByRole('button', { name: 'Ask the Counsellor' }).count(), 0);
    assert.equal(await page.locator('blockquote').count(), 0, 'the opponent does not hear it');
    await move(other, 'a7a6');
    await waitForPly(page, 2);
  });
});

test('TigerSquares: a person invited by link is asked and advises', async () => {
  const fen = 'bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQK1PSB w KQkq - - 0 1';
  await table({ variant: 'strike80', fen, clock: 'tiger:5m+5s' }, async (page, other) => {
    await other.getByRole('button', { name: 'Invite a person' }).click();
    const link = await other.getByLabel('Send this to your Counsellor').inputValue();
    const counsellor = await here.person();
    await visit(counsellor, async (beside) => {
      await beside.goto(link);
      await beside.getByText('You are the Counsellor').waitFor();
      await move(page, 'e1g1e');
      await other.getByRole('button', { name: 'Ask the Counsellor' }).click();
      await beside.getByLabel(/You are asked now/).fill('Make them <i>Emperors</i>!');
      await beside.getByRole('button', { name: 'Advise' }).click();
      await other.locator('blockquote').filter({ hasText: 'Make them <i>Emperors</i>!' }).waitFor();
      assert.equal(await page.getByText('Make them').count(), 0, 'the opponent does not hear it');
      assert.equal(await beside.getByRole('button', { name: 'Resign' }).count(), 0);
    });
  });
});

test('TigerSquares: mate is accepted instead of a Traverse', async () => {
  const fen = '1s1q1Kn1sb/b1fi1f1f2/9f/10/10/10/1Fk1P5/F5B3/3F1F4/BS1NQ1N1S1 b Q - - 6 12';
  await table({ variant: 'strike100', fen }, async (page, other, id, white) => {
    await other.getByRole('button', { name: 'Accept checkmate' }).click();
    await other.getByRole('button', { name: 'Yes, accept checkmate' }).click();
    await page.getByText('by checkmate').waitFor();
    const { result } = (await white.snapshot(id)).now;
    assert.equal(result.winner, 'white');
    assert.deepEqual(result.points, { white: 3, black: 0 });
  });
});

test('Citadel: a Green Gem is five points', async () => {
  const fen = '9/6W2/2G1Ry3/9/5k3/3H5/3K3R1/9/9 w - - Y 0 1';
  await table({ variant: 'citadel9', fen }, async (page, other, id, white) => {
    await move(page, 'e7f7');
    for (const on of [page, other]) {
      await on.getByText('Green Gem').waitFor();
      await on.getByText('5 : 0').waitFor();
    }
    assert.deepEqual((await white.snapshot(id)).now.result, {
      winner: 'white',
      reason: 'green gem',
      points: { white: 5, black: 0 },
    });
  });
});

test('Citadel: a Plainsman sets the Chief Commander free', async () => {
  await table({ variant: 'citadel9', fen: '9/3P5/9/k8/9/9/9/9/4K4 w - - CY 0 1' }, async (page, other) => {
    await move(page, 'd8d9c');
    await waitForPly(other, 1);
    assert.match(await square(other, 'd9').getAttribute('aria-label'), /Pure-White's Chief Commander/);
  });
});

test('Shatranj al-husun: a King in the opposite citadel draws', async () => {
  const fen = '1**********1/*10*/*10*/*10*/*10*/*6g3*/*10*/*10*/*1K8*/*4g5*/*9k*/E**********1 b - - 0 1';
  await table({ variant: 'alhusun', fen }, async (page, other) => {
    await move(other, 'k2l1', { by: 'keyboard' });
    for (const on of [page, other]) await on.getByText(/Draw: a king reached the citadel/).waitFor();
  });
});
