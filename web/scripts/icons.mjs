// Makes the icons for home screens from the drawings in public/: node scripts/icons.mjs
// Chromium draws them; its path may be given as CHROMIUM.
import { readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const folder = new URL('../public/', import.meta.url);
const wanted = [
  ['icon.svg', 'icon-192.png', 192],
  ['icon.svg', 'icon-512.png', 512],
  ['icon-maskable.svg', 'icon-maskable-512.png', 512],
  ['icon-maskable.svg', 'apple-touch-icon.png', 180],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
for (const [from, to, size] of wanted) {
  const svg = (await readFile(new URL(from, folder))).toString('base64');
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0}img{display:block;width:100vw}</style><img src="data:image/svg+xml;base64,${svg}">`,
  );
  await writeFile(new URL(to, folder), await page.screenshot({ omitBackground: true }));
}
await browser.close();
