// Animated pictures as GIF: a palette from the pictures' own colours, and for each frame only what has changed.
// After the GIF89a specification; the compression is its variable-length LZW.

/** Pixels as a canvas gives them: four bytes each. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

const MOST_COLORS = 256;

/** The commonest colours of some pictures, at most 256, with five bits of each part. */
export function paletteOf(pictures: Pixels[]): number[] {
  const counts = new Map<number, number>();
  for (const { data } of pictures) {
    for (let i = 0; i < data.length; i += 4) {
      const key = keyOf(data, i);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_COLORS)
    .map(([key]) => key);
}

function keyOf(data: Uint8ClampedArray, i: number): number {
  return ((data[i]! >> 3) << 10) | ((data[i + 1]! >> 3) << 5) | (data[i + 2]! >> 3);
}

/** A byte from five bits, so that white stays white. */
function byte(five: number): number {
  return (five << 3) | (five >> 2);
}

/** Writes an animated GIF, frame by frame. */
export class Gif {
  #bytes: number[] = [];
  #palette: number[];
  #nearest = new Map<number, number>();
  #before: Uint8ClampedArray | null = null;
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number, palette: number[]) {
    this.#width = width;
    this.#height = height;
    this.#palette = palette.slice(0, MOST_COLORS);
    this.#text('GIF89a');
    this.#short(width);
    this.#short(height);
    // a palette of 256 colours for all frames
    this.#bytes.push(0xf7, 0, 0);
    for (let i = 0; i < MOST_COLORS; i++) {
      const key = this.#palette[i] ?? 0;
      this.#bytes.push(byte(key >> 10), byte((key >> 5) & 31), byte(key & 31));
    }
    // for ever
    this.#bytes.push(0x21, 0xff, 11);
    this.#text('NETSCAPE2.0');
    this.#bytes.push(3, 1, 0, 0, 0);
  }

  /** Adds a picture that stands for so many milliseconds. */
  add(picture: Pixels, milliseconds: number): void {
    const { left, top, width, height } = this.#changed(picture.data);
    this.#before = picture.data;
    this.#bytes.push(0x21, 0xf9, 4, 0x04);
    this.#short(Math.round(milliseconds / 10));
    this.#bytes.push(0, 0, 0x2c);
    for (const value of [left, top, width, height]) this.#short(value);
    this.#bytes.push(0);
    const indexes = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = ((top + y) * this.#width + left + x) * 4;
        indexes[y * width + x] = this.#index(keyOf(picture.data, i));
      }
    }
    this.#bytes.push(8);
    const packed = lzw(indexes);
    for (let at = 0; at < packed.length; at += 255) {
      const block = packed.slice(at, at + 255);
      this.#bytes.push(block.length, ...block);
    }
    this.#bytes.push(0);
  }

  /** The whole file. */
  end(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from([...this.#bytes, 0x3b]);
  }

  /** The rectangle in which a picture differs from the one before; one pixel if nowhere. */
  #changed(now: Uint8ClampedArray): { left: number; top: number; width: number; height: number } {
    const before = this.#before;
    if (!before) return { left: 0, top: 0, width: this.#width, height: this.#height };
    const [a, b] = [new Uint32Array(before.buffer), new Uint32Array(now.buffer)];
    let [left, top, right, bottom] = [this.#width, this.#height, -1, -1];
    for (let y = 0, i = 0; y < this.#height; y++) {
      for (let x = 0; x < this.#width; x++, i++) {
        if (a[i] === b[i]) continue;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = y;
      }
    }
    if (bottom < 0) return { left: 0, top: 0, width: 1, height: 1 };
    return { left, top, width: right - left + 1, height: bottom - top + 1 };
  }

  #index(key: number): number {
    let found = this.#nearest.get(key);
    if (found === undefined) {
      let least = Infinity;
      found = 0;
      for (const [i, color] of this.#palette.entries()) {
        const far =
          ((color >> 10) - (key >> 10)) ** 2 +
          (((color >> 5) & 31) - ((key >> 5) & 31)) ** 2 +
          ((color & 31) - (key & 31)) ** 2;
        if (far < least) {
          least = far;
          found = i;
        }
      }
      this.#nearest.set(key, found);
    }
    return found;
  }

  #short(value: number): void {
    this.#bytes.push(value & 255, (value >> 8) & 255);
  }

  #text(text: string): void {
    for (const letter of text) this.#bytes.push(letter.charCodeAt(0));
  }
}

const CLEAR = 256;
const END = 257;

/** Compresses indexes of eight bits. */
function lzw(indexes: Uint8Array): number[] {
  const out: number[] = [];
  let held = 0;
  let bits = 0;
  let size = 9;
  let next = END + 1;
  let table = new Map<number, number>();
  const put = (code: number) => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      out.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };
  put(CLEAR);
  let prefix = indexes[0] ?? 0;
  for (let i = 1; i < indexes.length; i++) {
    const one = indexes[i]!;
    const key = (prefix << 8) | one;
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    prefix = one;
    if (next === 4096) {
      put(CLEAR);
      table = new Map();
      next = END + 1;
      size = 9;
      continue;
    }
    table.set(key, next);
    if (next === 1 << size) size += 1;
    next += 1;
  }
  put(prefix);
  put(END);
  if (bits > 0) out.push(held & 255);
  return out;
}
