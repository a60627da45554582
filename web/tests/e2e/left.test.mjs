// An opponent who leaves: what both and those who watch see, the wait, and the claim.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('the game of an opponent who has left is claimed after a minute, not before', async () => {
  const south = await here.person();
  const north = await here.person();
  const watcher = await here.person();
  await visit(watcher, (watching) =>
    visit(south, async (page) => {
      const { id, seat, friend_seat } = await south.makeGame({
        variant: 'strike80',
        side: 'white',
        clock: 'fischer:5m+0s',
      });
      await page.goto(`/game/${id}#${seat}`);
      await watching.goto(`/game/${id}`);
      const box = page.getByRole('status').filter({ hasText: 'North Region has left the game' });
      let seated;
      const win = page.getByRole('button', { name: 'Claim the win' });
      await visit(north, async (other) => {
        await other.goto(`/game/${id}#${friend_seat}`);
        await other.getByRole('grid').waitFor();
        await move(page, 'e2e3');
        await move(other, 'e7e6');
        await waitForPly(page, 2);
        assert.equal(await win.count(), 0);
        seated = await north.context.storageState();
      });
      await box.waitFor();
      await watching.getByText('has left').waitFor();
      assert.equal(await watching.getByRole('button', { name: 'Claim the win' }).count(), 0);
      assert.equal(await win.isDisabled(), true);
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document).then((all) => all.violations));
      assert.deepEqual(
        found.map(({ id, nodes }) => `${id}: ${nodes[0].target}`),
        [],
      );
      const place = await win.boundingBox();

      // Who comes back has not left.
      const again = await here.person({ storageState: seated });
      await visit(again, async (other) => {
        await other.goto(`/game/${id}`);
        await box.waitFor({ state: 'detached' });
      });
      await box.getByText(/You can claim it in 0:[0-5]\d/).waitFor();
      await box.getByText('You need not wait any longer').waitFor({ timeout: 75_000 });
      assert.equal(await win.isDisabled(), false);
      assert.deepEqual(await win.boundingBox(), place, 'the button has not moved');
      await win.click();
      await page.getByText('You won!').waitFor();
      for (const on of [page, watching])
        await on.getByText('South Region wins: North Region has left the game').first().waitFor();
      assert.deepEqual((await south.snapshot(id)).now.result.reason, 'abandoned');

      // From the list of own games it is one press to what happened.
      await page.goto('/mine');
      await page.getByText('You won: your opponent has left').waitFor();
      await page.getByRole('link', { name: /^What happened/ }).click();
      await page.waitForURL(`**/game/${id}/review`);
      await page.getByRole('heading', { name: /What happened/ }).waitFor();
    }),
  );
});
