// Clocks on the page: a TigerClock runs into its reserve and out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

test('a TigerClock: engagement runs down, then the reserve, then the game is lost on time', async () => {
  const white = await here.person();
  const black = await here.person();
  await visit(white, (page) =>
    visit(black, async (other) => {
      const made = await white.makeGame({ variant: 'strike80', side: 'white', clock: 'tiger:2s+1s' });
      await other.goto(`/game/${made.id}#${made.friend_seat}`);
      await other.getByRole('grid').waitFor();
      await page.goto(`/game/${made.id}#${made.seat}`);
      await page.getByRole('grid').waitFor();
      await page.getByText('The clocks start when both have moved.').waitFor();
      await page.waitForTimeout(2500);
      const waiting = (await white.snapshot(made.id)).now;
      assert.equal(waiting.stage, 'playing', 'more than all the time has gone by, and is charged to nobody');
      assert.deepEqual([waiting.clocks.running, waiting.clocks.times.white.main_ms], [undefined, 2000]);
      await move(page, 'e2e3');
      await waitForPly(other, 1);
      await move(other, 'e7e6');
      await waitForPly(page, 2);

      const { times } = (await white.snapshot(made.id)).now.clocks;
      assert.equal(times.white.extra_ms, 1000, 'a move in engagement time adds to the reserve');
      assert.ok(times.white.main_ms < 2000);

      const timer = page.getByRole('timer').last();
      await timer.locator('[data-part="engagement"].live').waitFor();
      await timer.locator('[data-part="reserve"].live').waitFor({ timeout: 5000 });
      for (const on of [page, other]) await on.getByText('on time').first().waitFor({ timeout: 5000 });
      const { result, clocks } = (await white.snapshot(made.id)).now;
      assert.equal(result.winner, 'black');
      assert.equal(result.reason, 'time');
      assert.equal(clocks.times.white.main_ms, 0);
      assert.equal(clocks.times.white.extra_ms, 0);
    }),
  );
});
