// Pieces explained on the board by pointer, touch and keyboard; rules pages with their contents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './lib/axe.mjs';
import { click, move, square, waitForPly, walk } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const ACROSS = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1366, height: 768 } };

const card = (page) => page.locator('.piece-card');

async function middle(page, name) {
  const box = await square(page, name).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function rest(page, name) {
  await page.mouse.move(...(await middle(page, name)));
}

/** The marks on the board: sign by square. */
const marks = (page) =>
  page
    .locator('.board .targets [data-target]')
    .evaluateAll((all) => Object.fromEntries(all.map((one) => [one.dataset.target, one.dataset.sign])));

/** Counts the questions about pieces that the page asks. */
function questions(page) {
  const asked = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/targets')) asked.push(request.postData());
  });
  return asked;
}

async function analysis(page, game, fen) {
  await page.goto(`/analysis/${game}${fen ? `?fen=${encodeURIComponent(fen)}` : ''}`);
  await page.getByRole('grid').waitFor();
  await page.locator('cg-board piece').first().waitFor();
}

test("a pointer that rests on a piece is told what it is; either side's, once for each position", async () => {
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    await analysis(page, 'citadel9');
    const asked = questions(page);
    await rest(page, 'b1');
    await card(page).getByText('Horseman').waitFor();
    await card(page).getByText('Jumps two squares one way and one to the side.').waitFor();
    await card(page)
      .getByText(/worth about/)
      .waitFor();
    await card(page).getByText('2 moves now.').waitFor();
    assert.deepEqual(await marks(page), { a3: 'move', c3: 'move' });
    await rest(page, 'e5');
    await card(page).waitFor({ state: 'detached' });
    await rest(page, 'b9');
    await card(page).getByText('2 moves if it were its turn.').waitFor();
    assert.deepEqual(await marks(page), { a7: 'move', c7: 'move' });
    await rest(page, 'e5');
    await rest(page, 'b1');
    await card(page).getByText('2 moves now.').waitFor();
    assert.equal(asked.length, 2, 'the same piece in the same position is not asked about again');
    // the card is no hindrance: the piece is moved as ever
    await move(page, 'b1c3');
    await square(page, 'c3')
      .and(page.getByLabel(/Horseman/))
      .waitFor();
    assert.equal(await card(page).count(), 0);
    assert.equal(asked.length, 2);
  });
});

test('nothing is asked while a piece is dragged or chosen', async () => {
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    await analysis(page, 'chess');
    const asked = questions(page);
    await rest(page, 'g1');
    await page.mouse.down();
    for (const name of ['g2', 'f2', 'e7', 'f3']) {
      await rest(page, name);
      await page.waitForTimeout(600);
    }
    await page.mouse.up();
    await square(page, 'f3')
      .and(page.getByLabel(/Knight/))
      .waitFor();
    await click(page, 'e7');
    await rest(page, 'd8');
    await page.waitForTimeout(700);
    assert.deepEqual(asked, []);
    assert.equal(await card(page).count(), 0);
  });
});

test('by keyboard: ? tells, the card follows the focus, Escape lets go', async () => {
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    await analysis(page, 'citadelir2024');
    await walk(page, 'e2');
    await page.keyboard.press('?');
    await card(page)
      .getByText(/jumping over exactly one piece/)
      .waitFor();
    const spoken = page.locator('.board-room [aria-live]');
    await spoken.getByText(/White: Cannon on e2\. .*move.* now\./).waitFor();
    await page.keyboard.press('ArrowLeft');
    await card(page).getByText('Ox').waitFor();
    await page.keyboard.press('Escape');
    await card(page).waitFor({ state: 'detached' });
    await walk(page, 'e7');
    await page.keyboard.press('?');
    await spoken.getByText('e7 is empty.').waitFor();
    assert.equal(await card(page).count(), 0);
    await walk(page, 'e10');
    await page.keyboard.press('?');
    await card(page).getByText('if it were its turn').waitFor();
    assert.deepEqual(await violations(page), []);
  });
});

for (const [name, view] of [
  ['upright', PHONE],
  ['across', ACROSS],
]) {
  test(`on a phone ${name}: press and hold tells, a tap lets go, and nothing is moved`, async () => {
    const person = await here.person(view);
    await visit(person, async (page) => {
      await analysis(page, 'citadel9', 'whsbkgshw/ppp1ppppp/9/9/9/9/9/PPP1PPPPP/WHSTKMSHW w KQkq - CYcy 0 1');
      await square(page, 'd1').scrollIntoViewIfNeeded();
      const touch = await page.context().newCDPSession(page);
      const [x, y] = await middle(page, 'd1');
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await card(page).getByText('White Tiger-Rider').waitFor();
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await page.waitForTimeout(200);
      assert.equal(await card(page).count(), 1, 'the card stays when the finger is lifted');
      const box = await card(page).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= view.viewport.width, 'the card is in the window');
      assert.equal(await page.locator('square.selected').count(), 0);
      assert.deepEqual(await violations(page), []);
      const [a, b] = await middle(page, 'e5');
      await page.touchscreen.tap(a, b);
      await card(page).waitFor({ state: 'detached' });
      assert.match(await square(page, 'd1').getAttribute('aria-label'), /Tiger-Rider/);
    });
  });
}

test("a bent rider's ways are drawn as lines, and a hopper's over what it jumps", async () => {
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    await analysis(page, 'citadelir2024', '6k5/12/12/12/12/12/12/12/3G8/12/12/6K5 w - - 0 1');
    await rest(page, 'd4');
    await card(page).getByText('Giraffe').waitFor();
    const line = page.locator('.board .targets .lines path');
    await line.first().waitFor();
    assert.equal(await line.count(), 8);
    // along the ways there are more points than two: they bend
    for (const data of await line.evaluateAll((all) => all.map((one) => one.getAttribute('d'))))
      assert.ok(data.split('L').length > 2, data);
    await analysis(page, 'citadelir2024', '6k5/12/12/12/3p8/12/3P8/12/3C8/12/12/6K5 w - - 0 1');
    await rest(page, 'd4');
    await card(page).getByText('1 move and 1 capture now.').waitFor();
    assert.deepEqual(await marks(page), { d7: 'move', d8: 'capture' });
    assert.equal(await page.locator('.board .targets .screen').count(), 1);
    assert.equal(await line.count(), 1, 'one line as far as it goes');
  });
});

test('TigerSquares: a Traverse and Safeguarding have marks of their own; the first Traverse is asked about', async () => {
  const fen = 'bsinqknpsb/ffffffffff/10/10/10/10/FFFFFFFFFF/BSINQ4B w KQkq - - 0 1';
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'strike80', level: 1, side: 'white', fen });
    await page.goto(`/game/${id}#${seat}`);
    await page.locator('.state.mine').waitFor();
    await page.locator('cg-board piece').first().waitFor();
    await rest(page, 'e1');
    await card(page).getByText('Traverse: it becomes Empress for good').waitFor();
    assert.deepEqual(await marks(page), { f1: 'move', g1: 'traverse', h1: 'castling' });
    await click(page, 'e1');
    await click(page, 'g1');
    const dialog = page.getByRole('dialog', { name: 'This cannot be undone' });
    await dialog.getByText(/the Queen becomes an Empress for the rest of the game/).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.state.mine').waitFor();
    assert.equal((await person.snapshot(id)).moves.length, 0);
    assert.match(await square(page, 'e1').getAttribute('aria-label'), /Queen/);
    await click(page, 'e1');
    await click(page, 'g1');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await waitForPly(page, 1);
    assert.match(await square(page, 'g1').getAttribute('aria-label'), /Empress/);
    // in another game it is known
    const next = await person.makeGame({ variant: 'strike80', level: 1, side: 'white', fen });
    await page.goto(`/game/${next.id}#${next.seat}`);
    await page.locator('.state.mine').waitFor();
    await page.locator('cg-board piece').first().waitFor();
    await click(page, 'e1');
    await click(page, 'g1');
    await waitForPly(page, 1);
  });
});

test('rules on a wide screen: contents beside the text follow it, every piece shows what it can', async () => {
  for (const width of [1366, 1440]) {
    const person = await here.person({ viewport: { width, height: 768 } });
    await visit(person, async (page) => {
      await page.goto('/rules/citadelir2024');
      const contents = page.getByRole('navigation', { name: 'Chapters' });
      await contents.getByRole('link').first().waitFor();
      assert.equal(await contents.count(), 1, 'one list of chapters is shown');
      const titles = await contents.getByRole('link').allTextContents();
      assert.equal(titles.at(-1), 'For programmers');
      for (const link of await contents.getByRole('link').all()) {
        const id = (await link.getAttribute('href')).slice(1);
        assert.equal(await page.locator(`[id="${id}"]`).count(), 1, id);
      }
      await contents.getByRole('link', { name: 'The pieces to try' }).click();
      await contents.locator('[aria-current="location"]', { hasText: 'The pieces to try' }).waitFor();
      // names and pictures do not lie over each other, and no name is cut off
      const wrong = await page.locator('.kinds button').evaluateAll((all) =>
        all
          .filter((button) => {
            const [icons, name] = ['.icons', '.name'].map((part) =>
              button.querySelector(part).getBoundingClientRect(),
            );
            const box = button.getBoundingClientRect();
            return icons.right > name.left || name.right > box.right || name.bottom > box.bottom;
          })
          .map((button) => button.textContent),
      );
      assert.deepEqual(wrong, []);
      const shown = page.locator('.shown');
      await page.getByRole('button', { name: 'Cannon' }).click();
      await shown.getByText(/jumping over exactly one piece/).waitFor();
      await shown.locator('.targets .screen').waitFor();
      await shown.locator('.targets [data-sign="capture"]').waitFor();
      await page.getByRole('button', { name: 'Pawn', exact: true }).click();
      await shown.locator('.targets [data-sign="capture"]').waitFor();
      assert.equal(await page.locator('.shown code').count(), 0, 'Betza stands in the last chapter');
    });
  }
});

test("rules of TigerSquares: the Queen's diagram shows her Traverse, an address leads to its chapter", async () => {
  const person = await here.person(DESKTOP);
  await visit(person, async (page) => {
    await page.goto('/rules/strike80#the-pieces-to-try');
    await page.locator('.shown .targets [data-target="g1"][data-sign="traverse"]').waitFor();
    const apart = page.getByRole('list', { name: 'Not on the board at the start' });
    await apart.getByRole('button', { name: 'Empress' }).waitFor();
    assert.equal(await apart.getByRole('button', { name: 'Queen', exact: true }).count(), 0);
    const top = await page.locator('#the-pieces-to-try').evaluate((part) => part.getBoundingClientRect().top);
    assert.ok(Math.abs(top) < 120, `the chapter is in view (${top})`);
    assert.deepEqual(await violations(page), []);
  });
});

test('rules on a phone: the contents unfold, lead to a chapter and fold again', async () => {
  for (const view of [PHONE, ACROSS]) {
    const person = await here.person(view);
    await visit(person, async (page) => {
      await page.goto('/rules/citadel8');
      const folded = page.locator('details.folded');
      await folded.locator('summary').click();
      await folded.getByRole('link', { name: 'For programmers' }).click();
      await page.waitForFunction(() => {
        const part = document.getElementById('for-programmers')?.getBoundingClientRect();
        return part && part.top < innerHeight && part.bottom > 0;
      });
      assert.equal(await folded.getAttribute('open'), null);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(wide, 0);
    });
  }
});

test('diagrams in the text are drawn in the colours and with the pieces chosen, with their captions', async () => {
  const person = await here.person({ ...DESKTOP, colorScheme: 'dark' });
  await visit(person, async (page) => {
    await page.goto('/rules/citadel8');
    const picture = page.locator('figure.diagram img').first();
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('figure.diagram img')?.naturalWidth > 0);
    assert.match(await picture.getAttribute('src'), /theme=dark&set=themed/);
    assert.match(await picture.getAttribute('alt'), /^Diagram: ./);
    assert.equal(await picture.getAttribute('loading'), 'lazy');
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('radio', { name: 'letters' }).check();
    await page.waitForFunction(() =>
      document.querySelector('figure.diagram img')?.getAttribute('src').includes('set=letters'),
    );
  });
});
