// A position drawn on a canvas as the page shows it: the board in its user's colours, the pieces of the page's own
// style sheets, the last move, letters and numbers at the edge.
import { loadPieces } from '../api/http';
import type { Side, VariantDetail } from '../api/types';
import { ground } from '../board/ground';
import { placeOf, readBoard, roleOf, splitMove, type PieceOn } from '../board/keys';
import { settings } from '../settings.svelte';

export interface Frame {
  fen: string;
  /** The move that led here, in UCI form. */
  last?: string | undefined;
}

export class Painter {
  readonly canvas = document.createElement('canvas');
  #variant: VariantDetail;
  #side: Side;
  #square: number;
  #edge: number;
  #board!: HTMLImageElement;
  #host: HTMLElement;
  #icon = document.createElement('span');
  #images = new Map<string, HTMLImageElement>();

  constructor(variant: VariantDetail, side: Side, square: number) {
    this.#variant = variant;
    this.#side = side;
    this.#square = square;
    this.#edge = Math.round(square / 2.6);
    this.canvas.width = variant.files * square + this.#edge;
    this.canvas.height = variant.ranks * square + this.#edge;
    this.#host = document.createElement('div');
    this.#host.hidden = true;
    this.#host.append(this.#icon);
    document.body.append(this.#host);
  }

  close(): void {
    this.#host.remove();
  }

  async #image(address: string): Promise<HTMLImageElement> {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  }

  /** The picture of a piece, from the style sheet, as soon as that is there. */
  async #piece(piece: PieceOn, lone: boolean): Promise<HTMLImageElement> {
    const key = `${piece.side} ${piece.letter} ${lone}`;
    const known = this.#images.get(key);
    if (known) return known;
    this.#host.className = `pieces-${settings.set}-${this.#variant.id}${lone ? ` lone-${piece.side}` : ''}`;
    this.#icon.className = `piece-icon ${piece.side} ${roleOf(piece.letter)}`;
    for (let tries = 0; tries < 100; tries++) {
      const found = /url\("(.*)"\)/.exec(getComputedStyle(this.#icon).backgroundImage)?.[1];
      if (found) {
        const image = await this.#image(found.replace(/\\(["\\])/g, '$1'));
        this.#images.set(key, image);
        return image;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('The pictures of the pieces could not be loaded.');
  }

  async draw({ fen, last }: Frame): Promise<ImageData> {
    const { files, ranks, id } = this.#variant;
    loadPieces(id, settings.set);
    this.#board ??= await this.#image(ground(this.#variant, settings.board, settings.theme));
    const at = this.canvas.getContext('2d', { willReadFrequently: true })!;
    const [size, edge, white] = [this.#square, this.#edge, this.#side === 'white'];
    const [wide, high] = [files * size, ranks * size];
    const place = (square: string): [number, number] => {
      const [file, rank] = placeOf(square);
      return [edge + (white ? file : files - 1 - file) * size, (white ? ranks - 1 - rank : rank) * size];
    };
    at.fillStyle = settings.theme === 'light' ? '#fbfaf5' : '#1a1e24';
    at.fillRect(0, 0, this.canvas.width, this.canvas.height);
    at.save();
    at.translate(edge + (white ? 0 : wide), white ? 0 : high);
    if (!white) at.rotate(Math.PI);
    at.drawImage(this.#board, 0, 0, wide, high);
    at.restore();
    const move = last ? splitMove(last) : null;
    if (move) {
      at.fillStyle = 'rgb(230 190 30 / 0.5)';
      for (const square of new Set([move.from, move.to])) at.fillRect(...place(square), size, size);
    }
    const pieces = readBoard(fen);
    const royals = new Set(this.#variant.pieces.filter((kind) => kind.royal).map((kind) => kind.letter));
    const count = { white: 0, black: 0 };
    for (const piece of pieces.values()) if (royals.has(piece.letter)) count[piece.side] += 1;
    for (const [square, piece] of pieces) {
      const image = await this.#piece(piece, count[piece.side] === 1);
      at.drawImage(image, ...place(square), size, size);
    }
    at.fillStyle = settings.theme === 'light' ? '#545d4d' : '#a9b2be';
    at.font = `600 ${Math.round(edge * 0.62)}px sans-serif`;
    at.textAlign = 'center';
    at.textBaseline = 'middle';
    for (let i = 0; i < ranks; i++)
      at.fillText(String(white ? ranks - i : i + 1), edge / 2, (i + 0.5) * size);
    for (let i = 0; i < files; i++) {
      const letter = String.fromCharCode(97 + (white ? i : files - 1 - i));
      at.fillText(letter, edge + (i + 0.5) * size, high + edge / 2);
    }
    return at.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }
}
