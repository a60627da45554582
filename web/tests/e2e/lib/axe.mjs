// What can be found wrong with any page: by axe-core, and by its width.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is found, in short. */
export async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target} ${nodes[0]?.failureSummary ?? ''}`);
  });
}

/** Fails with what is found. */
export async function isAccessible(page) {
  assert.deepEqual(await violations(page), []);
}

/**
 * Fails where a page is wider than its window. A phone shows such a page smaller, and `innerWidth` grows with it: the
 * width that the page was meant for is the element's.
 */
export async function isNotTooWide(page) {
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(wide <= 0, `${wide} pixels too wide`);
}

/** Both. */
export async function fits(page) {
  await isAccessible(page);
  await isNotTooWide(page);
}
