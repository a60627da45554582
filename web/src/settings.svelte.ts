// What this browser remembers of its user's taste. Everything works without storage too.

import { BOARDS, type BoardColors } from './board/ground';

export type Theme = 'light' | 'dark';
export type PieceSet = 'themed' | 'letters';

/** How long a piece is on its way, in milliseconds. */
export const SPEEDS = { off: 0, fast: 90, normal: 180, slow: 450 };
export type Speed = keyof typeof SPEEDS;

function load(key: string): string | null {
  try {
    return localStorage.getItem(`husun.${key}`);
  } catch {
    return null;
  }
}

function save(key: string, value: string): void {
  try {
    localStorage.setItem(`husun.${key}`, value);
  } catch {
    // remembered for this page only
  }
}

function known<T extends string>(all: Record<T, unknown>, name: string | null): T | null {
  return name !== null && Object.hasOwn(all, name) ? (name as T) : null;
}

class Settings {
  #theme = $state<Theme>(document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light');
  #set = $state<PieceSet>(load('set') === 'letters' ? 'letters' : 'themed');
  #board = $state<BoardColors>(known(BOARDS, load('board')) ?? 'green');
  #speed = $state<Speed>(known(SPEEDS, load('speed')) ?? 'normal');
  #confirm = $state(load('confirm') === 'on');
  #sound = $state(load('sound') !== 'off');

  constructor() {
    // as long as no wish is saved the system's goes
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      if (!load('theme')) this.#paint(event.matches ? 'dark' : 'light');
    });
  }

  get theme(): Theme {
    return this.#theme;
  }
  set theme(value: Theme) {
    save('theme', value);
    this.#paint(value);
  }

  get set(): PieceSet {
    return this.#set;
  }
  set set(value: PieceSet) {
    this.#set = value;
    save('set', value);
  }

  /** Colours of the board. */
  get board(): BoardColors {
    return this.#board;
  }
  set board(value: BoardColors) {
    this.#board = value;
    save('board', value);
  }

  get speed(): Speed {
    return this.#speed;
  }
  set speed(value: Speed) {
    this.#speed = value;
    save('speed', value);
  }

  /** Whether an own move is asked about before it is played. */
  get confirm(): boolean {
    return this.#confirm;
  }
  set confirm(value: boolean) {
    this.#confirm = value;
    save('confirm', value ? 'on' : 'off');
  }

  get sound(): boolean {
    return this.#sound;
  }
  set sound(value: boolean) {
    this.#sound = value;
    save('sound', value ? 'on' : 'off');
  }

  /** Whether this browser's user had games under way when Home was last looked at. */
  get playing(): boolean {
    return load('playing') === 'yes';
  }
  set playing(value: boolean) {
    if (value !== this.playing) save('playing', value ? 'yes' : 'no');
  }

  /** Whether this browser's user has been told what an act changes for good. */
  knows(act: string): boolean {
    return (load('acts') ?? '').split('\n').includes(act);
  }
  learn(act: string): void {
    if (!this.knows(act)) save('acts', [...(load('acts') ?? '').split('\n'), act].filter(Boolean).join('\n'));
  }

  #paint(theme: Theme): void {
    this.#theme = theme;
    document.documentElement.dataset['theme'] = theme;
  }
}

export const settings = new Settings();
