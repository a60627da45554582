// What this browser remembers of its user's taste. Everything works without storage too.

export type Theme = 'light' | 'dark';
export type PieceSet = 'themed' | 'letters';

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

class Settings {
  #theme = $state<Theme>(document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light');
  #set = $state<PieceSet>(load('set') === 'letters' ? 'letters' : 'themed');
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

  get sound(): boolean {
    return this.#sound;
  }
  set sound(value: boolean) {
    this.#sound = value;
    save('sound', value ? 'on' : 'off');
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
