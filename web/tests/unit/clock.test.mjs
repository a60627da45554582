// Clocks as they are shown: counted down from the server's figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockWords, readClock, runDown, timeText, total } from '../../src/parts/clock.ts';

test('a TigerClock runs down its engagement time, then its reserve', () => {
  const tiger = readClock('tiger:2s+1s');
  const time = { main_ms: 1500, extra_ms: 2000 };
  assert.deepEqual(runDown(tiger, time, 1000), { main_ms: 500, extra_ms: 2000, periods: null });
  assert.deepEqual(runDown(tiger, time, 2500), { main_ms: 0, extra_ms: 1000, periods: null });
  assert.deepEqual(runDown(tiger, time, 9000), { main_ms: 0, extra_ms: 0, periods: null });
  assert.equal(total(tiger, time), 3500);
});

test('a delay runs before the time, a period of byoyomi after it', () => {
  assert.deepEqual(runDown(readClock('delay:5m+3s'), { main_ms: 10_000, extra_ms: 3000 }, 5000), {
    main_ms: 8000,
    extra_ms: 0,
    periods: null,
  });
  const byoyomi = readClock('byoyomi:10m+3x30s');
  assert.equal(byoyomi.period, 30_000);
  const after = runDown(byoyomi, { main_ms: 1000, extra_ms: 30_000, periods: 3 }, 41_000);
  assert.deepEqual(after, { main_ms: 0, extra_ms: 20_000, periods: 2 });
});

test('times and clocks in words', () => {
  assert.equal(timeText(3_909_000), '1:05:09');
  assert.equal(timeText(247_900), '4:07');
  assert.equal(timeText(3 * 86_400_000), '3 days 0 h');
  assert.equal(clockWords('tiger:120m+60s'), 'TigerClock 2 h + 60 s');
  assert.equal(clockWords('days:3'), '3 days a move');
  assert.equal(clockWords(null), 'no clock');
});
