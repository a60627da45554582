// A position as a picture and a game as an animated one, made in the browser and saved.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();

/** Presses a button and gives the file that is saved. */
async function saved(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Width and height of a picture as the browser reads it. */
const sizeOf = (page, type, bytes) =>
  page.evaluate(
    async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    },
    `data:${type};base64,${bytes.toString('base64')}`,
  );

test('a game: the position as PNG, all its moves as GIF; the keyboard leaves the dialogue', async () => {
  const person = await here.person({ permissions: ['clipboard-read', 'clipboard-write'] });
  await visit(person, async (page) => {
    const { id, seat } = await person.makeGame({ variant: 'citadel9', level: 1, side: 'white' });
    await page.goto(`/game/${id}#${seat}`);
    await grid(page).waitFor();
    await move(page, 'e2e4');
    await waitForPly(page, 2);
    await page.getByRole('button', { name: 'Picture' }).click();
    await page.locator('.picture canvas').waitFor();
    // The picture is not blank: it has both light and dark squares and pieces.
    const colors = await page.locator('.picture canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const found = new Set();
      for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return found.size;
    });
    assert.ok(colors > 50, `${colors} colours`);
    const png = await saved(page, 'Save picture');
    assert.equal(png.name, 'husun-citadel9.png');
    const [width, height] = await sizeOf(page, 'image/png', png.bytes);
    assert.ok(width === height && width > 800, `${width} by ${height}`);

    const gif = await saved(page, 'Save the game as an animation');
    assert.equal(gif.name, 'husun-citadel9.gif');
    assert.equal(gif.bytes.subarray(0, 6).toString(), 'GIF89a');
    const [wide, high] = await sizeOf(page, 'image/gif', gif.bytes);
    assert.ok(wide === high && wide > 350);
    // One graphic control block for the start and each of the moves.
    let frames = 0;
    for (let at = 0; at < gif.bytes.length - 3; at++)
      if (gif.bytes.readUInt32BE(at) === 0x21f90404) frames += 1;
    assert.ok(frames >= 3, `${frames} frames`);
    assert.ok(gif.bytes.length < 200_000, `${gif.bytes.length} bytes`);

    await page.getByRole('button', { name: 'Copy picture' }).click();
    await page.getByText('Picture copied.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

test('analysis: the position that is looked at, from the side that it is seen from', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/analysis/alhusun');
    await grid(page).waitFor();
    const draw = async () => {
      await page.getByRole('button', { name: 'Picture' }).click();
      await page.locator('.picture canvas').waitFor();
      const made = await page.locator('.picture canvas').evaluate((canvas) => canvas.toDataURL());
      assert.equal(await page.getByRole('button', { name: /animation/ }).count(), 0, 'nothing moved yet');
      await page.getByRole('button', { name: 'Close' }).click();
      return made;
    };
    const first = await draw();
    await page.getByRole('button', { name: 'Flip' }).click();
    assert.notEqual(await draw(), first);
  });
});
