// The animated picture read back: sizes, times, and every pixel of every frame.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gif, paletteOf } from '../../src/share/gif.ts';

/** Reads a GIF as this project writes it; gives its frames as whole pictures of palette colours. */
function read(bytes) {
  let at = 0;
  const take = (n) => bytes.slice(at, (at += n));
  const short = () => take(2).reduce((sum, byte, i) => sum + (byte << (8 * i)), 0);
  assert.equal(String.fromCharCode(...take(6)), 'GIF89a');
  const [width, height] = [short(), short()];
  take(3);
  const colors = Array.from({ length: 256 }, () => [...take(3)].join(' '));
  const canvas = new Array(width * height);
  const frames = [];
  let delay = 0;
  for (;;) {
    const [kind] = take(1);
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      const [label] = take(1);
      for (let [n] = take(1); n; [n] = take(1)) {
        const block = take(n);
        if (label === 0xf9) delay = block[1] + (block[2] << 8);
      }
      continue;
    }
    assert.equal(kind, 0x2c);
    const [left, top, w, h] = [short(), short(), short(), short()];
    take(1);
    assert.deepEqual([...take(1)], [8]);
    const data = [];
    for (let [n] = take(1); n; [n] = take(1)) data.push(...take(n));
    unpack(data, w * h).forEach((index, i) => {
      canvas[(top + Math.floor(i / w)) * width + left + (i % w)] = colors[index];
    });
    frames.push({ delay, area: [w, h], pixels: [...canvas] });
  }
  assert.equal(at, bytes.length);
  return frames;
}

function unpack(data, count) {
  const out = [];
  let bit = 0;
  let size = 9;
  let table = [];
  let before = null;
  const code = () => {
    let value = 0;
    for (let i = 0; i < size; i++, bit++) value |= ((data[bit >> 3] >> (bit & 7)) & 1) << i;
    return value;
  };
  for (;;) {
    const now = code();
    if (now === 257) break;
    if (now === 256) {
      table = Array.from({ length: 256 }, (_, i) => [i]);
      table.push([], []);
      size = 9;
      before = null;
      continue;
    }
    const word = now < table.length ? table[now] : [...before, before[0]];
    out.push(...word);
    if (before && table.length < 4096) table.push([...before, word[0]]);
    if (table.length === 1 << size && size < 12) size += 1;
    before = word;
  }
  assert.equal(out.length, count);
  return out;
}

function picture(width, height, color) {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const [r, g, b] = color(i % width, Math.floor(i / width));
    data.set([r, g, b, 255], i * 4);
  }
  return { width, height, data };
}

const WHITE = [255, 255, 255];
const BLACK = [0, 0, 0];

test('what is written is read back, the second frame only where it changed', () => {
  const first = picture(40, 30, (x, y) => ((x + y) % 2 ? WHITE : BLACK));
  const second = picture(40, 30, (x, y) =>
    x >= 5 && x < 9 && y >= 3 && y < 10 ? [255, 0, 0] : (x + y) % 2 ? WHITE : BLACK,
  );
  const gif = new Gif(40, 30, paletteOf([first, second]));
  gif.add(first, 900);
  gif.add(second, 3000);
  gif.add(second, 100);
  const frames = read(gif.end());
  assert.deepEqual(
    frames.map(({ delay }) => delay),
    [90, 300, 10],
  );
  assert.deepEqual(
    frames.map(({ area }) => area),
    [
      [40, 30],
      [4, 7],
      [1, 1],
    ],
  );
  for (const [index, source] of [first, second, second].entries()) {
    const wanted = Array.from({ length: 1200 }, (_, i) => [...source.data.slice(i * 4, i * 4 + 3)].join(' '));
    assert.deepEqual(frames[index].pixels, wanted);
  }
});

test('a noisy picture fills the table of codes more than once', () => {
  let seed = 7;
  const grey = Array.from({ length: 32 }, (_, i) => (i << 3) | (i >> 2));
  const noise = picture(200, 200, () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const value = grey[(seed >> 16) % 32];
    return [value, value, value];
  });
  const gif = new Gif(200, 200, paletteOf([noise]));
  gif.add(noise, 100);
  const [frame] = read(gif.end());
  const wanted = Array.from({ length: 40000 }, (_, i) => [...noise.data.slice(i * 4, i * 4 + 3)].join(' '));
  assert.deepEqual(frame.pixels, wanted);
});

test('more colours than fit: the nearest stands for the others', () => {
  const many = picture(128, 128, (x, y) => [x * 2, y * 2, (x * y) % 256]);
  const palette = paletteOf([many]);
  assert.equal(palette.length, 256);
  const gif = new Gif(128, 128, palette);
  gif.add(many, 100);
  assert.equal(read(gif.end())[0].pixels.length, 128 * 128);
});
