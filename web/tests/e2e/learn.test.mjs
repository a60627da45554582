// Lessons: from Home to a first move, tasks done and failed by pointer and by keyboard, progress that stays, a first game with hints.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './lib/axe.mjs';
import { click, drag, grid, move, square, waitForPly, walk } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const SIZES = {
  desktop: { viewport: { width: 1366, height: 768 } },
  upright: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  across: { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true },
};

const status = (page) => page.locator('.task [role="status"]');
const stars = (page) => page.locator('.board [data-star]');

async function open(page, game, lesson) {
  await page.goto(`/learn/${game}/${lesson}`);
  await grid(page).waitFor();
  await page.locator('cg-board piece').first().waitFor();
}

/** What the server tells of a lesson. */
async function told(person, game, lesson) {
  const answer = await person.context.request.get(`/api/variants/${game}/lessons/${lesson}`);
  assert.ok(answer.ok(), `${game} ${lesson}: ${answer.status()}`);
  return answer.json();
}

test('two presses from Home to the first move of a first lesson', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    await page.goto('/');
    // Once it is known which game that is.
    await page.locator('.lead a[href^="/learn/"]').waitFor();
    await page.evaluate(() => {
      globalThis.presses = 0;
      addEventListener('pointerdown', () => (globalThis.presses += 1), true);
    });
    await page.getByRole('link', { name: 'Learn a first game in five minutes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Citadel in five minutes' }).waitFor();
    await page.locator('cg-board piece').first().waitFor();
    await drag(page, 'e2', 'e4');
    await status(page).getByText('Done').waitFor();
    assert.equal(await page.evaluate(() => globalThis.presses), 2);
  });
});

test('a piece, by keyboard alone: stars, captures, danger; what is done is kept', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    const lesson = await told(person, 'citadelir2024', 'cannon');
    assert.equal(lesson.tasks.length, 3);
    await open(page, 'citadelir2024', 'cannon');
    for (const [index, task] of lesson.tasks.entries()) {
      await page.getByRole('region', { name: `Task ${index + 1} of 3` }).waitFor();
      const start = task.start.stars ?? [];
      assert.equal(await stars(page).count(), start.length);
      for (const name of start) assert.match(await square(page, name).getAttribute('aria-label'), /, star/);
      for (const uci of task.solution) {
        const [, from, to] = /^([a-l]\d+)([a-l]\d+)$/.exec(uci);
        await walk(page, from);
        await page.keyboard.press('Enter');
        await walk(page, to);
        const answered = page.waitForResponse(/lessons\/cannon\//);
        await page.keyboard.press('Enter');
        await answered;
      }
      await status(page).getByText('Done, in the fewest moves.').waitFor();
      assert.equal(await stars(page).count(), 0);
      // The way on has the focus.
      if (index < 2) await page.keyboard.press('Enter');
    }
    await page.getByRole('link', { name: /^Next lesson/ }).waitFor();
    await page.goto('/learn/citadelir2024');
    const card = page.getByRole('link', { name: /^Cannon/ });
    await card.getByText('✓ done').waitFor();
    await page.reload();
    await card.getByText('✓ done').waitFor();
    await page.goto('/learn');
    await page.getByText('3 tasks done').waitFor();
  });
});

test('failures are told with their reason; after two the way is shown; a task can be begun again', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    await open(page, 'citadel9', 'five-minutes');
    await page.getByRole('button', { name: /^Task 7/ }).click();
    const task = (await told(person, 'citadel9', 'five-minutes')).tasks[6];
    const wrong = task.start.legal.find((uci) => uci.startsWith('f1') && uci !== task.solution[0]);
    for (let failures = 1; failures <= 2; failures++) {
      await move(page, wrong);
      await status(page).getByText('Not this time.').waitFor();
      assert.equal(await page.getByText(task.hint).count(), 0);
      await page.getByRole('button', { name: 'Try again' }).click();
    }
    await status(page).getByText(task.hint).waitFor();
    await page.locator('.board .cg-shapes line').first().waitFor({ state: 'attached' });
    await move(page, task.solution[0]);
    await status(page).getByText('Done').waitFor();
    await page.getByText('Checkmate of a Prince-Royal wins the game').waitFor();
  });
});

test('who stops where an enemy captures is captured', async () => {
  const person = await here.person(SIZES.upright);
  await visit(person, async (page) => {
    const lesson = await told(person, 'strike80', 'princess');
    const task = lesson.tasks[2];
    let bad;
    for (const uci of task.start.legal) {
      const answer = await person.context.request.post('/api/variants/strike80/lessons/princess/3', {
        data: { moves: [uci] },
      });
      const now = await answer.json();
      if (now.progress === 'failed') bad = [uci, now.why];
    }
    assert.ok(bad, 'some first move is a mistake');
    await open(page, 'strike80', 'princess');
    await page.getByRole('button', { name: /^Task 3/ }).click();
    await move(page, bad[0]);
    await status(page).getByText(bad[1]).waitFor();
  });
});

test('acts beside the board: Emperors, a Traverse, accepting', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    await open(page, 'strike80', 'five-minutes');
    await page.getByRole('button', { name: /^Task 5/ }).click();
    await page.getByRole('button', { name: 'Make the Kings Emperors', exact: true }).click();
    await status(page).getByText('Done').waitFor();
    await open(page, 'strike80', 'accepting');
    await page.getByRole('button', { name: 'Accept checkmate', exact: true }).click();
    await status(page).getByText('Done').waitFor();
    await open(page, 'strike80', 'traverse');
    // The North answers with Emperors.
    // A Traverse cannot be undone: the first time that is said, and the move can be left.
    await click(page, 'd1');
    await click(page, 'g1');
    const warning = page.getByRole('dialog', { name: 'This cannot be undone' });
    await warning.getByRole('button', { name: 'Not now' }).click();
    await square(page, 'd1').and(page.locator(':not([aria-label*="empty"])')).waitFor();
    await page.evaluate(() => {
      const seen = (globalThis.seen = new Set());
      const at = (name) =>
        document.querySelector(`[data-square="${name}"]`)?.getAttribute('aria-label') ?? '';
      const look = () => {
        seen.add(`${!/empty/.test(at('g1'))} ${/Emperor/.test(at('c3'))}`);
        requestAnimationFrame(look);
      };
      look();
    });
    const answered = page.waitForResponse(/lessons\/traverse\/1$/);
    await click(page, 'd1');
    await click(page, 'g1');
    await warning.getByRole('button', { name: 'Do it' }).click();
    assert.equal((await (await answered).json()).last, 'i8i8');
    await square(page, 'c3').and(page.locator('[aria-label*="Emperor"]')).waitFor();
    assert.deepEqual(
      await page.evaluate(() => [...globalThis.seen]),
      ['false false', 'true false', 'true true'],
      'the own move is seen before the answer',
    );
    await move(page, 'c3e4');
    await status(page).getByText('After a Traverse the opponent may').waitFor();
  });
});

test('a piece of a practice board can be asked about', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    const lesson = await told(person, 'citadel9', 'white-tiger-rider');
    await open(page, 'citadel9', 'white-tiger-rider');
    await walk(page, lesson.tasks[0].solution[0].slice(0, 2));
    await page.keyboard.press('?');
    const card = page.locator('.piece-card');
    await card.getByText('White Tiger-Rider').waitFor();
    await card.getByText(/moves? now/).waitFor();
  });
});

test('the first game: the mildest engine, and a good move whenever it is asked for', async () => {
  const person = await here.person(SIZES.desktop);
  await visit(person, async (page) => {
    await page.goto('/learn/chess');
    await page.getByRole('button', { name: 'Play your first game' }).click();
    await page.waitForURL(/\/game\/[^/]+\?hints$/);
    const hint = page.getByRole('button', { name: 'Show me a good move' });
    await page.locator('.state.mine').waitFor();
    await hint.click();
    const line = page.getByText(/^The engine would play the/);
    await line.waitFor();
    const [, from, to] = /from ([a-h]\d) to ([a-h]\d)/.exec(await line.textContent());
    await move(page, `${from}${to}`);
    await waitForPly(page, 2);
    await page.locator('.state.mine').waitFor();
    assert.equal(await line.count(), 0);
    await page.reload();
    await hint.waitFor();
  });
});

for (const [name, size] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`pages to learn are whole and accessible: ${name}, ${colorScheme}`, async () => {
      const person = await here.person({ ...size, colorScheme });
      await visit(person, async (page) => {
        const look = async (place) => {
          await page.waitForLoadState('networkidle');
          assert.deepEqual(await violations(page), [], `${place}: axe`);
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          assert.ok(over <= 0, `${place} is ${over} pixels too wide`);
        };
        await page.goto('/learn');
        await page.getByRole('link', { name: 'Chess', exact: true }).waitFor();
        await look('all games');
        await page.goto('/learn/citadelir2020');
        await page.getByRole('heading', { name: 'Your first game' }).waitFor();
        await look('a course');
        await open(page, 'citadel9', 'five-minutes');
        await look('a lesson');
        const board = await page.locator('.board').boundingBox();
        assert.ok(board.y + board.height <= size.viewport.height, 'the board is seen without scrolling');
        await move(page, 'e2e4');
        await status(page).getByText('Done').waitFor();
        await look('a task done');
      });
    });
  }
}
