// Which piece is asked about: by a pointer that rests on it, by press-and-hold, or by `?` on its square. Knows when to ask and
// when to let go; what is shown is not known here.

/** How long a pointer rests on a piece before it is an inquiry, and a finger on one, in milliseconds. */
const REST = 450;
const HOLD = 450;
/** Pixels that a finger may slip while it holds. */
const SLIP = 8;

export interface Asked {
  /** After `?` the keyboard's square, which may be empty. */
  square: string;
  by: 'hover' | 'hold' | 'key';
}

interface Rules {
  /** The square with a piece under a point, if there is one. */
  pieceAt: (x: number, y: number) => string | null;
  /** Whether the board is busy with a move: nothing is asked then. */
  busy: () => boolean;
  /** A finger has held: what it began is no move. */
  onhold: () => void;
}

export class Asking {
  now = $state.raw<Asked | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over: string | null = null;
  #press: { x: number; y: number } | null = null;

  constructor(private readonly rules: Rules) {}

  /** Asks about a square at once, or lets go if it was asked about by keyboard already. */
  key(square: string | null): void {
    this.#wait();
    this.now = square && this.now?.square !== square ? { square, by: 'key' } : null;
  }

  /** The keyboard has gone to another square, and the question with it, or it has left the board. */
  follow(square: string | null): void {
    if (this.now?.by === 'key') this.now = square ? { square, by: 'key' } : null;
  }

  close(): void {
    this.#wait();
    this.#over = null;
    this.now = null;
  }

  move(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      const press = this.#press;
      if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLIP) this.#wait();
      return;
    }
    if (event.buttons || this.rules.busy()) {
      this.leave();
      return;
    }
    const square = this.rules.pieceAt(event.clientX, event.clientY);
    if (square === this.#over) return;
    this.#over = square;
    this.#wait();
    if (this.now?.by === 'hover') this.now = null;
    if (square && !this.now) {
      this.#timer = setTimeout(() => {
        if (!this.rules.busy()) this.now = { square, by: 'hover' };
      }, REST);
    }
  }

  /** The pointer has left the board. */
  leave(): void {
    this.#wait();
    this.#over = null;
    if (this.now?.by === 'hover') this.now = null;
  }

  down(event: PointerEvent): void {
    this.#wait();
    this.now = null;
    if (event.pointerType !== 'touch' || !event.isPrimary) return;
    const { clientX: x, clientY: y } = event;
    this.#press = { x, y };
    this.#timer = setTimeout(() => {
      const square = this.rules.pieceAt(x, y);
      this.#press = null;
      if (!square) return;
      this.rules.onhold();
      this.now = { square, by: 'hold' };
    }, HOLD);
  }

  /** A finger was lifted, or the browser took it over to scroll. */
  up(): void {
    if (this.#press) this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#press = null;
  }
}
