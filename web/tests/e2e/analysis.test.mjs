// The analysis board and its editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, click, drag, grid, move, square, walk } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** The moves shown, as they are read. */
const moves = (page) =>
  page
    .getByRole('region', { name: 'Moves' })
    .locator('button')
    .evaluateAll((all) => all.map((one) => one.textContent.trim()));

const current = (page) => page.locator('[aria-current="step"]');

test('free moves, variations, promote and delete, engine, copy and share', async () => {
  const person = await here.person(CLIPBOARD);
  await visit(person, async (page) => {
    await page.goto('/analysis/chess');
    await move(page, 'e2e4');
    await current(page).filter({ hasText: 'e4' }).waitFor();
    await move(page, 'e7e5', { by: 'keyboard' });
    await current(page).filter({ hasText: 'e5' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await move(page, 'c7c5', { by: 'drag' });
    await current(page).filter({ hasText: 'c5' }).waitFor();
    assert.deepEqual(await moves(page), ['e4', 'e5', 'c5']);
    assert.equal(await page.getByText('Variation:').count(), 1);

    // The variation becomes the main line.
    await page.getByRole('button', { name: 'Promote variation' }).click();
    assert.deepEqual(await moves(page), ['e4', 'c5', 'e5']);

    // Arrow keys go through the moves.
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('ArrowLeft');
    await current(page).filter({ hasText: 'e4' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await current(page).filter({ hasText: 'c5' }).waitFor();

    // The engine: lines, bar, arrows; a line's move can be played.
    await page.getByRole('switch', { name: 'Engine' }).click();
    await page.getByLabel('Lines').selectOption('3');
    const lines = page.getByRole('region', { name: 'Engine' }).locator('li');
    await lines.nth(2).waitFor();
    await page.getByRole('meter').waitFor();
    await page.locator('.cg-shapes line, .cg-shapes g').first().waitFor({ state: 'attached' });
    await lines.first().locator('button').first().click();
    await page.waitForFunction(
      () => document.querySelectorAll('section[aria-label="Moves"] button').length === 4,
    );
    await page.getByRole('switch', { name: 'Engine' }).click();
    assert.equal(await lines.count(), 0);

    // What is copied leads back here.
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    const link = await clipboard(page);
    await page.getByRole('button', { name: 'Copy FEN' }).click();
    await page.getByText('Position text copied.').waitFor();
    const fen = await clipboard(page);
    await page.getByRole('button', { name: 'Copy PGN' }).click();
    await page.getByText('PGN copied.').waitFor();
    const pgn = await clipboard(page);
    assert.match(pgn, /\[Variant "chess"\][\s\S]*1\. e4 c5 \(1\.\.\. e5\) 2\. /);

    await page.goto('/mine');
    await page.goto(link);
    await page.getByText(fen).waitFor();
    assert.equal((await moves(page)).length, 3);

    // The PGN is read again with its variation.
    await page.getByText('Bring in a game or a position').click();
    await page.getByLabel(/^PGN/).fill(pgn);
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByText('Variation:').waitFor({ state: 'attached' });
    assert.equal((await moves(page)).length, 4);

    // Cut off after the first move.
    await page.getByRole('button', { name: 'First position' }).click();
    await page.getByRole('button', { name: 'Forward' }).click();
    await page.getByRole('button', { name: 'Forward' }).click();
    await page.getByRole('button', { name: 'Delete from here' }).click();
    assert.deepEqual(await moves(page), ['e4', 'e5']);
  });
});

test('a game played here, PGN of another game from a file, and its result', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const { id, seat, friend_seat } = await person.makeGame({ variant: 'chess', side: 'white' });
    const friend = await here.person();
    await visit(friend, async (other) => {
      await page.goto(`/game/${id}#${seat}`);
      await other.goto(`/game/${id}#${friend_seat}`);
      for (const [on, uci, ply] of [
        [page, 'f2f3', 1],
        [other, 'e7e5', 2],
        [page, 'g2g4', 3],
        [other, 'd8h4', 4],
      ]) {
        await on
          .locator(`[data-ply="${ply - 1}"]`)
          .or(on.getByText('No moves yet'))
          .first()
          .waitFor();
        await move(on, uci);
        await on.locator(`[data-ply="${ply}"]`).waitFor();
      }
    });
    await page.goto(`/analysis/chess?game=${id}`);
    await page.getByText(/Black wins by checkmate/).waitFor();
    assert.equal((await moves(page)).length, 4);

    const pgn = '[Variant "citadel9"]\n\n1. e4!? {north} 1... {south} e6 *\n';
    await page.getByText('Bring in a game or a position').click();
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'game.pgn', mimeType: 'text/plain', buffer: Buffer.from(pgn) });
    await page.getByRole('heading', { name: /Citadel - 9 ranks/ }).waitFor();
    assert.deepEqual(await moves(page), ['e4!?', 'e6']);
    for (const comment of ['north', 'south']) await page.getByText(comment).waitFor();

    // What cannot be read is refused with its reason.
    person.allowed.push(/status of 4\d\d/);
    await page.getByText('Bring in a game or a position').click();
    await page.getByLabel(/^PGN/).fill('[Variant "chess"]\n\n1. e5 *');
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByRole('alert').filter({ hasText: 'e5' }).waitFor();
  });
});

test('special moves on the analysis board: Emperors by button, promotion by chooser', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    const fen = 'bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQK1PSB w KQkq - - 0 1';
    await page.goto(`/analysis/strike80?fen=${encodeURIComponent(fen)}&moves=e1g1e`);
    await page.getByRole('button', { name: /the Kings Emperors/ }).click();
    await current(page).filter({ hasText: /./ }).waitFor();
    await page.waitForFunction(
      () => document.querySelectorAll('section[aria-label="Moves"] button').length === 2,
    );
    assert.match(await square(page, 'f8').getAttribute('aria-label'), /North Region's Emperor/);

    await page.goto(
      '/analysis/citadelir2024?fen=' + encodeURIComponent('12/P11/11k/12/12/12/12/12/12/12/12/K11 w - - 0 1'),
    );
    await click(page, 'a11');
    await click(page, 'a12');
    await page.getByRole('dialog').getByRole('button').first().waitFor();
    const first = await page.getByRole('dialog').getByRole('button').first().innerText();
    await choose(page, first.trim());
    await page.waitForFunction(
      () => document.querySelectorAll('section[aria-label="Moves"] button').length === 1,
    );
  });
});

test('the editor: pieces by click, drag and keyboard; the server judges', async () => {
  const person = await here.person();
  person.allowed.push(/status of 4\d\d/);
  await visit(person, async (page) => {
    await page.goto('/analysis/strike80');
    await page.getByRole('button', { name: 'Edit position' }).click();
    const verdict = page.getByText('A possible position.');
    await verdict.waitFor();

    // An empty board cannot be.
    await page.getByRole('button', { name: 'Clear board' }).click();
    await verdict.waitFor({ state: 'detached' });
    await page.locator('.verdict.trouble').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Analyse this position' }).isDisabled(), true);

    // By click.
    await page.getByRole('button', { name: "South Region's Queen" }).click();
    await square(page, 'e1').click();
    await page.getByRole('button', { name: "North Region's Queen" }).click();
    await square(page, 'e8').click();
    await page.getByText(/the game would be over \(bare royals\)/).waitFor();
    // By drag from the row of pieces, and on the board.
    await page.getByRole('button', { name: 'Move pieces' }).click();
    const icon = await page.getByRole('button', { name: "South Region's Besieger" }).boundingBox();
    const goal = await square(page, 'a1').boundingBox();
    await page.mouse.move(icon.x + 10, icon.y + 10);
    await page.mouse.down();
    await page.mouse.move(goal.x + 8, goal.y + 8, { steps: 5 });
    await page.mouse.move(goal.x + goal.width / 2, goal.y + goal.height / 2);
    await page.mouse.up();
    assert.match(await square(page, 'a1').getAttribute('aria-label'), /South Region's Besieger/);
    await drag(page, 'a1', 'a5');
    assert.match(await square(page, 'a5').getAttribute('aria-label'), /South Region's Besieger/);
    assert.match(await square(page, 'a1').getAttribute('aria-label'), /empty/);
    // By keyboard.
    await walk(page, 'c3');
    await page.keyboard.press('k');
    assert.match(await square(page, 'c3').getAttribute('aria-label'), /North Region's King/);
    await page.keyboard.press('Delete');
    assert.match(await square(page, 'c3').getAttribute('aria-label'), /empty/);

    // A field that contradicts the board: the server's reason is shown.
    await page.getByLabel('Castling').fill('Q');
    await page
      .locator('.verdict.trouble')
      .filter({ hasText: /castling/i })
      .waitFor();
    await page.getByLabel('Castling').fill('-');
    await page.getByLabel('To move').selectOption('b');
    await verdict.waitFor();
    await page.getByRole('button', { name: 'Analyse this position' }).click();
    await page.getByText('4q5/10/10/B9/10/10/10/4Q5 b - - - 0 1').waitFor();
    await move(page, 'e8e7');
    await current(page).waitFor();
    // The address follows when the hand rests.
    await page.waitForURL(/fen=4q5/);
  });
});

test('rules: a piece is moved and hindered by pointer and by keyboard', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/rules/citadelir2024');
    await page.getByRole('button', { name: /^Rook/ }).click();
    const board = grid(page);
    await board.scrollIntoViewIfNeeded();
    await page.getByText(/Rook on f6: 22 empty squares and 0 captures/).waitFor();
    // An enemy in the way, then one of its own side, then nothing.
    await square(page, 'f9').click();
    await page.getByText(/Rook on f6: 18 empty squares and 1 capture\./).waitFor();
    await square(page, 'f9').click();
    await page.getByText(/Rook on f6: 18 empty squares and 0 captures/).waitFor();
    await page.getByRole('button', { name: 'Clear blockers' }).click();
    await page.getByText(/22 empty squares/).waitFor();
    await drag(page, 'f6', 'a1');
    await page.getByText(/Rook on a1: 22 empty squares/).waitFor();
    await walk(page, 'a1');
    await page.keyboard.press('Enter');
    await walk(page, 'b2');
    await page.keyboard.press('Enter');
    await page.getByText(/Rook on b2: 22 empty squares/).waitFor();
    await walk(page, 'b4');
    await page.keyboard.press(' ');
    await page.getByText(/Rook on b2: 13 empty squares and 1 capture\./).waitFor();
    await page.getByRole('button', { name: /^Show/ }).click();
    await page.getByText(/1 capture\./).waitFor();
  });
});

test('a reload loses neither branches nor the game; the list follows; prisoners and the score are shown', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/analysis/citadel9');
    await page
      .getByRole('img', { name: "Pure-White's pieces in prison: Prince, younger, Chief Commander" })
      .waitFor();
    await move(page, 'e2e4');
    await current(page).filter({ hasText: 'e4' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await move(page, 'd2d4');
    await current(page).filter({ hasText: 'd4' }).waitFor();
    await page.waitForURL(/moves=d2d4/);
    await page.reload();
    await current(page).filter({ hasText: 'd4' }).waitFor();
    assert.deepEqual(await moves(page), ['e4', 'd4']);
    // Who comes by a link begins anew.
    await page.goto('/analysis/citadel9');
    await page.getByText('No moves yet').waitFor();

    // A game played here stays that game, with what was added to it.
    const { id, seat } = await person.makeGame({ variant: 'chess', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await move(page, 'e2e4');
    await page.locator('[data-ply="2"]').waitFor();
    await page.goto(`/analysis/chess?game=${id}`);
    await current(page).waitFor();
    // What may be moved there is known when the server has said it.
    const told = page.waitForResponse('**/api/position');
    await page.getByRole('button', { name: 'First position' }).click();
    await (await told).finished();
    await move(page, 'a2a3');
    await current(page).filter({ hasText: 'a3' }).waitFor();
    await page.waitForTimeout(400);
    await page.reload();
    await current(page).filter({ hasText: 'a3' }).waitFor();
    await page.waitForURL(new RegExp(`game=${id}`));
    assert.equal((await moves(page)).length, 3);

    // In a long game the current move stays in sight.
    const long = Array.from({ length: 240 }, (_, i) => ['g1f3', 'g8f6', 'f3g1', 'f6g8'][i % 4]).join(' ');
    await page.goto(`/analysis/chess?moves=${encodeURIComponent(long)}`);
    const seen = () =>
      page.locator('[aria-current="step"]').evaluate((one) => {
        const list = one.closest('section').getBoundingClientRect();
        const { top, bottom } = one.getBoundingClientRect();
        return top >= list.top && bottom <= list.bottom;
      });
    await current(page).waitFor();
    await page.waitForFunction(() => document.querySelector('section[aria-label="Moves"]').scrollTop > 0);
    assert.equal(await seen(), true);
    await page.getByRole('button', { name: 'First position' }).click();
    await page.getByRole('button', { name: 'Forward' }).click();
    assert.equal(await seen(), true);

    // The bar stands at the board and has its number.
    await page.getByRole('switch', { name: 'Engine' }).click();
    const meter = page.getByRole('meter');
    await meter.filter({ hasText: /[+-]?\d/ }).waitFor();
    const [bar, board] = await Promise.all([meter.boundingBox(), page.locator('.board').boundingBox()]);
    assert.ok(board.x - bar.x - bar.width < 24, `${board.x - bar.x - bar.width} pixels between them`);
  });
});
