// Tournaments of many, each in a browser of their own, to the end: an arena of eight, a Swiss of seven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage({ limits: 'accounts_per_hour = 0\nsockets_per_address = 0\nrequests_per_second = 0\n' });
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const ACROSS = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true, colorScheme: 'dark' };
const LOOKS = [{}, PHONE, ACROSS];
/** For how long somebody may be at a tournament. */
const PATIENCE = 240_000;

/** Comes with an account of this name. */
async function come(name, n) {
  const person = await here.person(LOOKS[n % LOOKS.length]);
  const answer = await person.context.request.post('/api/account', {
    data: { name, password: 'correct horse battery' },
    headers: { origin: person.base },
  });
  assert.equal(answer.status(), 201, await answer.text());
  // The page learns who is signed in.
  await person.page.goto('/account');
  await person.page.getByRole('heading', { name: 'Your account' }).waitFor();
  return person;
}

/** One act in a game: a first move, or giving up, as the game's letters have it. */
async function act(page, id) {
  const game = await page.evaluate(async (id) => (await fetch(`/api/games/${id}`)).json(), id);
  if (game.now.stage !== 'playing') return;
  const loser = id.charCodeAt(0) % 2 ? 'white' : 'black';
  if (game.now.ply < 2) {
    if (game.now.turn !== game.own) return;
    const box = page.getByRole('textbox', { name: /move/i });
    await box.fill(game.now.legal[0], { timeout: 3000 });
    await box.press('Enter');
  } else if (game.own === loser) {
    await page.getByRole('button', { name: 'Resign' }).click({ timeout: 3000 });
    await page.getByRole('button', { name: /^Yes/ }).click({ timeout: 3000 });
  }
}

/** Plays whatever the tournament gives, until it is over. */
async function playOn(page) {
  const start = Date.now();
  const over = page.getByText(/^It is over/);
  const back = page.getByRole('link', { name: 'Back to the tournament' });
  while (!(await over.count())) {
    assert.ok(Date.now() - start < PATIENCE, `it does not end: ${page.url()}`);
    const [, place, id] = new URL(page.url()).pathname.split('/');
    // The page may change under the hand: then it is looked at again.
    try {
      if (place === 'game' && (await back.count())) await back.click({ timeout: 3000 });
      else if (place === 'game') await act(page, id);
    } catch (error) {
      if (!/Timeout|context was destroyed|Failed to fetch/.test(error.message)) throw error;
    }
    await page.waitForTimeout(150);
  }
}

/** Has all of these play a tournament to its end; gives what is told of it then. */
async function tournament(people, wish) {
  const [maker] = people;
  const answer = await maker.context.request.post('/api/tournaments', {
    data: { games: ['shatranj'], clock: 'fischer:5m+3s', ...wish, starts_ms: Date.now() + 20_000 },
    headers: { origin: maker.base },
  });
  const { id } = await answer.json();
  await Promise.all(
    people.map(async ({ page }) => {
      await page.goto(`/tournament/${id}`);
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('button', { name: 'Leave' }).waitFor();
    }),
  );
  await Promise.all(people.map(({ page }) => playOn(page)));
  for (const { page } of people.slice(0, LOOKS.length)) {
    await fits(page);
  }
  if (process.env.HUSUN_SCREENSHOTS) {
    const path = `${process.env.HUSUN_SCREENSHOTS}/${wish.name.toLowerCase().replace(/\W/g, '-')}.png`;
    await maker.page.screenshot({ path, fullPage: true });
  }
  const games = [];
  for (let before; before !== null;) {
    const query = before ? `?before=${before}` : '';
    const answer = await maker.context.request.get(`/api/tournaments/${id}/games${query}`);
    const page = await answer.json();
    games.push(...page.games);
    before = page.next ?? null;
  }
  const now = await (await maker.context.request.get(`/api/tournaments/${id}`)).json();
  return { now, games };
}

/** Runs something with all people there. */
async function together(people, what) {
  const [first, ...others] = people;
  if (!first) return what();
  return visit(first, () => together(others, what));
}

test('an arena of eight is played to its end', async () => {
  const names = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal'];
  const people = await Promise.all(names.map(come));
  await together(people, async () => {
    const { now, games } = await tournament(people, {
      name: 'Arena of eight',
      kind: { arena: { minutes: 1 } },
    });
    assert.equal(now.standings.length, 8);
    assert.ok(games.length >= 8, `${games.length} games`);
    // Each game has one winner and one loser, and everybody has played.
    assert.ok(games.every((game) => (game.white_points === 0) !== (game.black_points === 0)));
    const played = now.standings.map((row) => row.won + row.drawn + row.lost);
    assert.ok(Math.min(...played) >= 1, played.join());
    assert.equal(
      played.reduce((a, b) => a + b),
      2 * games.length,
    );
    // Counted from the games alone: twice what they give, when the two before were won.
    const points = new Map(names.map((name) => [name, { sum: 0, row: 0 }]));
    for (const game of games.toSorted((a, b) => a.round - b.round))
      for (const [name, given] of [
        [game.white, game.white_points],
        [game.black, game.black_points],
      ]) {
        const own = points.get(name);
        own.sum += own.row >= 2 ? 2 * given : given;
        own.row = given === 2 ? own.row + 1 : 0;
      }
    for (const row of now.standings) assert.equal(row.score, points.get(row.name).sum, row.name);
  });
});

test('a Swiss of seven is played to its end', async () => {
  const names = ['Ivy', 'Jon', 'Kim', 'Lea', 'Max', 'Nora', 'Otto'];
  const people = await Promise.all(names.map(come));
  await together(people, async () => {
    const wish = { name: 'Swiss of seven', kind: { swiss: { rounds: 3 } }, break_s: 0 };
    const { now, games } = await tournament(people, wish);
    assert.equal(now.standings.length, 7);
    assert.equal(games.length, 9);
    // Three games and a bye in each round; nobody meets anybody twice.
    const sum = now.standings.reduce((sum, row) => sum + row.score, 0);
    assert.equal(sum, 12);
    const pairs = games.map(({ white, black }) => [white, black].sort().join());
    assert.equal(new Set(pairs).size, 9);
    const byes = now.standings.map((row) => row.points.length - (row.won + row.drawn + row.lost));
    assert.ok(Math.max(...byes) <= 1, byes.join());
  });
});
