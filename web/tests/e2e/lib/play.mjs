// Playing on the page's board as a person does: by pointer or by keyboard.
import assert from 'node:assert/strict';

/** A move in UCI form taken apart. */
export function split(uci) {
  const [, from, to, letter] = /^([a-p]\d{1,2})([a-p]\d{1,2})([a-z]?)$/.exec(uci);
  return { from, to, letter };
}

export function grid(page) {
  return page.getByRole('grid').first();
}

export function square(page, name) {
  return grid(page).locator(`[data-square="${name}"]`);
}

/** Middle of a square in the window. */
async function middle(page, name) {
  const place = square(page, name);
  await place.scrollIntoViewIfNeeded();
  const box = await place.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

export async function click(page, name) {
  await page.mouse.click(...(await middle(page, name)));
}

export async function drag(page, from, to) {
  await page.mouse.move(...(await middle(page, from)));
  await page.mouse.down();
  const [x, y] = await middle(page, to);
  await page.mouse.move(x - 3, y - 3, { steps: 4 });
  await page.mouse.move(x, y);
  await page.mouse.up();
}

/** Walks to a square with arrow keys, from where the grid's focus stands. */
export async function walk(page, name) {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-square'));
  if (!(await focused())) await grid(page).locator('[tabindex="0"]').focus();
  for (let steps = 0; steps < 60; steps++) {
    const here = await focused();
    if (here === name) return;
    const places = await Promise.all(
      [here, name].map((at) =>
        square(page, at).evaluate((cell) => {
          const row = cell.parentElement;
          return [[...row.parentElement.children].indexOf(row), [...row.children].indexOf(cell)];
        }),
      ),
    );
    const [[row, column], [toRow, toColumn]] = places;
    const key =
      row !== toRow
        ? row < toRow
          ? 'ArrowDown'
          : 'ArrowUp'
        : column < toColumn
          ? 'ArrowRight'
          : 'ArrowLeft';
    await page.keyboard.press(key);
    if ((await focused()) === here) {
      // A missing square is in the way: go round by the other direction.
      await page.keyboard.press(column < toColumn ? 'ArrowRight' : 'ArrowLeft');
    }
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

/** Chooses what a piece becomes, where a chooser asks. `name` is the button's text. */
export async function choose(page, name) {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
}

/** Enters a move; `by` is how. Where the page asks what the piece becomes, the letter's piece is chosen. */
export async function move(page, uci, { by = 'click', legal = [], detail } = {}) {
  const { from, to, letter } = split(uci);
  if (from === to) {
    await page.getByRole('button', { name: /Make the Kings/ }).click();
    return;
  }
  if (by === 'click') {
    await click(page, from);
    await click(page, to);
  } else if (by === 'drag') {
    await drag(page, from, to);
  } else {
    await walk(page, from);
    await page.keyboard.press('Enter');
    await walk(page, to);
    await page.keyboard.press('Enter');
  }
  const ways = legal.filter((other) => split(other).from === from && split(other).to === to);
  if (ways.length < 2) return;
  const buttons = page.getByRole('dialog').getByRole('button');
  if (letter === '') await buttons.filter({ hasText: /^\s*stay/ }).click();
  else
    await buttons
      .getByText(detail.pieces.find((kind) => kind.letter.toLowerCase() === letter).name, { exact: true })
      .click();
}

/** Waits until the move list holds so many half-moves. */
export async function waitForPly(page, ply) {
  await page.locator(`[data-ply="${ply}"]`).waitFor();
}

/** Waits until it is this side's turn or the game has ended; gives the game as it then is. */
export async function waitForTurn(person, id, side, timeout = 20_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const game = await person.snapshot(id);
    if (game.now.stage !== 'playing' || game.now.turn === side) return game;
    assert.ok(Date.now() < end, `${side} waits too long for its turn in ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

/** Random numbers from a seed, the same at every run. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Asks the analysis for a good move, over a socket opened in the page: a mate as soon as one is seen. */
export async function advice(page, variant, fen, patience = 1500) {
  return page.evaluate(
    ({ variant, fen, patience }) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/api/socket`);
        let best;
        const done = () => {
          clearTimeout(timer);
          socket.close();
          if (best) resolve(best);
          else reject(new Error('no advice'));
        };
        const timer = setTimeout(done, patience);
        socket.onopen = () => socket.send(JSON.stringify({ type: 'analyse', n: 1, variant, fen, lines: 1 }));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type === 'refused') return reject(new Error(message.message));
          if (message.type !== 'analysis' || !message.lines[0]) return;
          best = message.lines[0].uci[0] ?? best;
          if (message.done || message.lines[0].mate != null) done();
        };
        socket.onerror = () => reject(new Error('no socket'));
      }),
    { variant, fen, patience },
  );
}
