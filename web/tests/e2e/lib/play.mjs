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

/** Opens the card on Home in which a button is; gives the button. */
export async function findGame(page, name) {
  const wanted = page.getByRole('button', { name, exact: true });
  const cards = page.locator('button[aria-expanded]');
  await cards.first().waitFor();
  for (let i = 0; i < (await cards.count()); i++) {
    if (await wanted.count()) break;
    await cards.nth(i).click();
  }
  return wanted;
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

/** Walks to a square with arrow keys, from where the grid's focus stands. Squares that are missing are gone round. */
export async function walk(page, name) {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-square'));
  if (!(await focused())) await grid(page).locator('[tabindex="0"]').focus();
  const keys = await grid(page).evaluate((board, goal) => {
    const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const table = [...board.querySelectorAll('[role="row"]')].map((row) =>
      [...row.children].map((cell) =>
        cell.getAttribute('aria-disabled') === 'true' ? null : cell.getAttribute('data-square'),
      ),
    );
    const place = (square) => {
      const row = table.findIndex((cells) => cells.includes(square));
      return [row, table[row].indexOf(square)];
    };
    const start = document.activeElement.getAttribute('data-square');
    const ways = new Map([[start, []]]);
    for (const square of ways.keys()) {
      if (square === goal) return ways.get(square);
      for (const [key, [down, right]] of Object.entries(STEPS)) {
        const [row, column] = place(square);
        const at = (far, aside) =>
          table[row + down * far + right * aside]?.[column + right * far + down * aside];
        const beyond = Array.from({ length: 15 }, (_, i) => at(i + 2, 0));
        const next = [at(1, 0), at(1, 1), at(1, -1), ...beyond].find((name) => name);
        if (next && !ways.has(next)) ways.set(next, [...ways.get(square), key]);
      }
    }
    return null;
  }, name);
  assert.ok(keys, `the keyboard does not reach ${name}`);
  for (const key of keys) await page.keyboard.press(key);
  assert.equal(await focused(), name);
}

/** Chooses what a piece becomes, where a chooser asks. `name` is the button's text. */
export async function choose(page, name) {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
}

/** Says that a move that changes its piece for good is meant, where the page asks so for the first time. */
async function meant(page, played) {
  const dialog = page.getByRole('dialog', { name: 'This cannot be undone' });
  // Something is asked, or the move is among those played; it may be answered by then.
  if (page.url().includes('/game/'))
    await page.getByRole('dialog').or(page.locator('[data-ply]').nth(played)).first().waitFor();
  if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Do it' }).click();
}

/** Enters a move; `by` is how. Where the page asks what the piece becomes, the letter's piece is chosen. */
export async function move(page, uci, { by = 'click', legal = [], detail } = {}) {
  const { from, to, letter } = split(uci);
  // In a game the page must know that it is this side's turn; before, a move would be one entered ahead.
  if (page.url().includes('/game/')) await page.locator('.state.mine').waitFor();
  if (from === to) {
    await page.getByRole('button', { name: /Make the Kings/ }).click();
    if (page.url().includes('/game/')) await page.getByRole('button', { name: /^Yes, make them/ }).click();
    return;
  }
  const played = await page.locator('[data-ply]').count();
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
  if (letter) await meant(page, played);
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
    const { stage, turn } = game.now;
    if (stage === 'over' || stage === 'aborted' || turn === side) return game;
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

/**
 * Asks the analysis for a good move, over a socket opened in the page: a mate as soon as one is seen, else what is best
 * after so many milliseconds, or the first that comes after them.
 */
export async function advice(page, variant, fen, patience = 1500) {
  return page.evaluate(
    ({ variant, fen, patience }) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/api/socket`);
        let best;
        let late = false;
        const done = () => {
          clearTimeout(timer);
          clearTimeout(end);
          socket.close();
          if (best) resolve(best);
          else reject(new Error('no advice'));
        };
        const timer = setTimeout(() => {
          late = true;
          if (best) done();
        }, patience);
        const end = setTimeout(done, 20_000);
        socket.onopen = () => socket.send(JSON.stringify({ type: 'analyse', n: 1, variant, fen, lines: 1 }));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type === 'refused') return reject(new Error(message.message));
          if (message.type !== 'analysis' || !message.lines[0]) return;
          best = message.lines[0].uci[0] ?? best;
          if (late || message.done || message.lines[0].mate != null) done();
        };
        socket.onerror = () => reject(new Error('no socket'));
      }),
    { variant, fen, patience },
  );
}
