// Takes a picture of every game's board on the game page, from a running server:
// node scripts/screenshots.mjs http://127.0.0.1:8000 FOLDER [light|dark] [themed|letters] [WIDTH HEIGHT]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [base, folder, theme = 'light', set = 'themed', width = '1280', height = '900'] = process.argv.slice(2);
if (!base || !folder) {
  console.error(
    'usage: node scripts/screenshots.mjs ADDRESS FOLDER [light|dark] [themed|letters] [WIDTH HEIGHT]',
  );
  process.exit(2);
}
await mkdir(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const context = await browser.newContext({
  baseURL: base,
  viewport: { width: Number(width), height: Number(height) },
  colorScheme: theme === 'dark' ? 'dark' : 'light',
});
await context.addInitScript((set) => localStorage.setItem('husun.set', set), set);
const page = await context.newPage();

const games = await (await context.request.get('/api/variants')).json();
for (const { id } of games) {
  const answer = await context.request.post('/api/games', { data: { variant: id, level: 1, side: 'white' } });
  if (!answer.ok()) throw new Error(`${id}: ${answer.status()} ${await answer.text()}`);
  const made = await answer.json();
  await page.goto(`/game/${made.id}#${made.seat}`);
  await page.getByRole('grid').waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${id}.png`) });
  console.log(id);
}
await browser.close();
