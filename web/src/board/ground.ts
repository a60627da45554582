// The bare board drawn on the page, in the colours that its user chose: squares, edge, and the regions of the game
// (citadels, castles), whose lines are told from light and dark squares alike.
import type { VariantDetail } from '../api/types';
import { squareAt } from './keys';

export type BoardColors = 'green' | 'wood' | 'blue' | 'stone' | 'contrast';

interface Palette {
  light: string;
  dark: string;
  edge: string;
}

/** Every set of colours: its name for people, and how it is on light and on dark pages. */
export const BOARDS: Record<BoardColors, { name: string; onLight: Palette; onDark: Palette }> = {
  green: {
    name: 'Green',
    onLight: { light: '#eef0e2', dark: '#a8bd9b', edge: '#5f6f58' },
    onDark: { light: '#b9c4ad', dark: '#71876a', edge: '#0e1115' },
  },
  wood: {
    name: 'Wood',
    onLight: { light: '#f3e1c0', dark: '#c79a68', edge: '#7b5a35' },
    onDark: { light: '#cdb189', dark: '#8f6a45', edge: '#15100a' },
  },
  blue: {
    name: 'Blue',
    onLight: { light: '#e9eff4', dark: '#9db8cd', edge: '#536b7f' },
    onDark: { light: '#a9b9c8', dark: '#647b91', edge: '#0c1116' },
  },
  stone: {
    name: 'Stone',
    onLight: { light: '#efeeea', dark: '#bdb9b0', edge: '#6f6b63' },
    onDark: { light: '#a3aebb', dark: '#6c7988', edge: '#0e1115' },
  },
  contrast: {
    name: 'High contrast',
    onLight: { light: '#ffffff', dark: '#8f9a8a', edge: '#20261c' },
    onDark: { light: '#d5dbe3', dark: '#5c6773', edge: '#000000' },
  },
};

type Board = Pick<VariantDetail, 'id' | 'files' | 'ranks' | 'missing' | 'regions'>;

const drawn = new Map<string, string>();

/** The board as an address of a picture, exactly its squares, White below. */
export function ground(board: Board, colors: BoardColors, theme: 'light' | 'dark'): string {
  const key = `${board.id} ${colors} ${theme}`;
  let address = drawn.get(key);
  if (!address) {
    address = `data:image/svg+xml,${encodeURIComponent(groundSvg(board, colors, theme))}`;
    drawn.set(key, address);
  }
  return address;
}

/** The same as SVG. */
export function groundSvg(board: Board, colors: BoardColors, theme: 'light' | 'dark'): string {
  const palette = BOARDS[colors][theme === 'light' ? 'onLight' : 'onDark'];
  const missing = new Set(board.missing);
  const all: Place[] = [];
  for (let rank = 0; rank < board.ranks; rank++) {
    for (let file = 0; file < board.files; file++) {
      const name = squareAt(file, rank);
      if (!missing.has(name))
        all.push({ file, row: board.ranks - 1 - rank, dark: (file + rank) % 2 === 0, name });
    }
  }
  const field = (places: Place[]) =>
    places.map(({ file, row }) => `M${file * 100} ${row * 100}h100v100h-100z`).join('');
  const line = (d: string, color: string, width: number) =>
    `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round"/>`;
  const regions = board.regions.map((region) => {
    const names = new Set(region.squares);
    const inside = all.filter(({ name }) => names.has(name));
    const edge = outline(inside);
    const color = /^#[0-9a-f]{6}$/i.test(region.color) ? region.color : '#555555';
    // a pale line beneath a strong one is seen on any square
    return (
      `<path d="${field(inside)}" fill="${color}" fill-opacity="0.4"/>` +
      line(edge, '#ffffffcc', 13) +
      line(edge, theme === 'light' ? color : deeper(color), 7)
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${board.files * 100} ${board.ranks * 100}" ` +
    `preserveAspectRatio="none">` +
    line(outline(all), palette.edge, 8) +
    `<path d="${field(all.filter(({ dark }) => !dark))}" fill="${palette.light}"/>` +
    `<path d="${field(all.filter(({ dark }) => dark))}" fill="${palette.dark}"/>${regions.join('')}</svg>`
  );
}

interface Place {
  file: number;
  /** From the top. */
  row: number;
  dark: boolean;
  name: string;
}

/** The edges that have one of the squares on one side only. */
function outline(places: Place[]): string {
  const set = new Set(places.map(({ file, row }) => `${file} ${row}`));
  const free = (file: number, row: number) => !set.has(`${file} ${row}`);
  return places
    .map(({ file, row }) => {
      const [x, y] = [file * 100, row * 100];
      return (
        (free(file, row - 1) ? `M${x} ${y}h100` : '') +
        (free(file, row + 1) ? `M${x} ${y + 100}h100` : '') +
        (free(file - 1, row) ? `M${x} ${y}v100` : '') +
        (free(file + 1, row) ? `M${x + 100} ${y}v100` : '')
      );
    })
    .join('');
}

/** Three quarters of a colour's light. */
function deeper(color: string): string {
  const parts = [1, 3, 5].map((at) => Math.round(parseInt(color.slice(at, at + 2), 16) * 0.75));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
