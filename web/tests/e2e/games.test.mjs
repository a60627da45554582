// Every game: two people, one of them on a phone, play chance moves by click, drag and keyboard, and both boards
// show what the server says. HUSUN_PLIES and HUSUN_SEED make longer and other games.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grid, move, seeded, split, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PLIES = Number(process.env.HUSUN_PLIES ?? 8);
const SEED = Number(process.env.HUSUN_SEED ?? 1);
const WAYS = ['click', 'drag', 'keyboard'];

/** Moves that are more than from here to there: promotions, releases, moves on the spot. */
const special = (uci) => split(uci).letter !== '' || split(uci).from === split(uci).to;

/** Waits until the board shows as many pieces as the position text has. */
async function shows(page, fen) {
  const men = fen.split(' ')[0].match(/[A-Za-z]/g).length;
  await page.waitForFunction(
    (men) => document.querySelectorAll('cg-board piece:not(.ghost):not(.fading)').length === men,
    men,
  );
}

test('every game is played by chance in two browsers', async (t) => {
  const white = await here.person({ viewport: { width: 360, height: 740 } });
  const black = await here.person();
  await visit(white, (page) =>
    visit(black, async (other) => {
      const variants = await (await white.context.request.get('/api/variants')).json();
      assert.ok(variants.length > 0, 'no games');
      for (const [number, { id: variant }] of variants.entries()) {
        await t.test(variant, async () => {
          const chance = seeded(SEED * 100 + number);
          const pick = (list) => list[Math.floor(chance() * list.length)];
          const detail = await (await white.context.request.get(`/api/variants/${variant}`)).json();
          const made = await white.makeGame({ variant, side: 'white' });
          await page.goto(`/game/${made.id}#${made.seat}`);
          await other.goto(`/game/${made.id}#${made.friend_seat}`);
          await grid(other).waitFor();
          for (let ply = 0; ply < PLIES; ply++) {
            const { now } = await white.snapshot(made.id);
            if (now.stage === 'over') break;
            const [own, opposite] = now.turn === 'white' ? [page, other] : [other, page];
            const rare = now.legal.filter(special);
            const uci = pick(rare.length && chance() < 0.5 ? rare : now.legal);
            if (ply > 0) await waitForPly(own, ply);
            await move(own, uci, { by: pick(WAYS), legal: now.legal, detail });
            await waitForPly(opposite, ply + 1);
            const played = (await white.snapshot(made.id)).moves[ply];
            assert.equal(played.uci, uci);
            for (const on of [page, other]) await shows(on, played.fen);
          }
        });
      }
    }),
  );
});
