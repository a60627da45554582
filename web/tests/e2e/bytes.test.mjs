// What the first visit of a page costs: bytes over the wire, and when something is seen. Figures are printed, and kept in
// docs/server.md; the bounds are what the pages weighed once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** Milliseconds without any transfer after which a page counts as loaded. */
const QUIET = 1000;
/** Milliseconds until something must be seen, on a busy machine. */
const SEEN = 3000;

/** Opens an address in a browser that has seen nothing yet; gives kilobytes, requests and milliseconds. */
async function measure(address, ready) {
  const person = await here.person({ viewport: { width: 1366, height: 768 } });
  const found = { bytes: 0, requests: 0, heaviest: [] };
  await visit(person, async (page) => {
    const devtools = await person.context.newCDPSession(page);
    const names = new Map();
    let last = Date.now();
    const note = (name, bytes) => {
      last = Date.now();
      found.bytes += bytes;
      found.requests += 1;
      found.heaviest.push([Math.round(bytes / 100) / 10, name]);
    };
    devtools.on('Network.responseReceived', ({ requestId, response }) =>
      names.set(requestId, new URL(response.url).pathname),
    );
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
      note(names.get(requestId), encodedDataLength),
    );
    devtools.on('Network.webSocketFrameReceived', ({ response }) =>
      note('socket', response.payloadData.length),
    );
    await devtools.send('Network.enable');
    await page.goto(address);
    await ready(page);
    while (Date.now() - last < QUIET) await page.waitForTimeout(100);
    found.seen = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
    );
  });
  found.heaviest.sort(([a], [b]) => b - a);
  return { ...found, kB: Math.round(found.bytes / 1000), heaviest: found.heaviest.slice(0, 5) };
}

function told(t, name, { kB, requests, seen, heaviest }) {
  const most = heaviest.map(([kilo, what]) => `${what} ${kilo}`).join(', ');
  t.diagnostic(
    `${name}: ${kB} kB in ${requests} answers, first paint after ${Math.round(seen)} ms; most: ${most}`,
  );
}

test('Home weighs 100 kB at most', async (t) => {
  const home = await measure('/', (page) => page.locator('button[aria-expanded]').first().waitFor());
  told(t, 'Home', home);
  assert.ok(home.kB <= 100, `${home.kB} kB`);
  assert.ok(home.seen !== null && home.seen < SEEN, `seen after ${home.seen} ms`);
});

test('a game page weighs 100 kB at most', async (t) => {
  const maker = await here.person();
  let made;
  await visit(maker, async () => {
    made = await maker.makeGame({ variant: 'citadel9', level: 1, side: 'white' });
  });
  const game = await measure(`/game/${made.id}#${made.seat}`, (page) => page.getByRole('grid').waitFor());
  told(t, 'A game', game);
  assert.ok(game.kB <= 100, `${game.kB} kB`);
  assert.ok(game.seen !== null && game.seen < SEEN, `seen after ${game.seen} ms`);
});
