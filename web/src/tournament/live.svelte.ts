// A tournament as its page knows it: asked anew when something has changed, once in two seconds at most. A game that has
// begun for oneself is told on every page (`../lobby/Live.svelte`).
import { Socket, type Link } from '../api/socket';
import { tournaments } from '../api/tournaments';
import type { TournamentGames, TournamentNow } from '../api/types';

const PAUSE = 2000;

export class LiveTournament {
  now = $state.raw<TournamentNow | null>(null);
  games = $state.raw<TournamentGames>({ games: [] });
  page = $state(1);
  /** The round whose games are shown; the last ones if there is none. */
  round = $state<number | null>(null);
  trouble = $state('');
  link = $state<Link>('connecting');
  /** Milliseconds by which the server's clock is ahead of ours. */
  ahead = $state(0);

  #id: string;
  #socket: Socket;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.#id = id;
    this.#socket = new Socket({
      opened: () => this.#socket.send({ type: 'enter_tournament', id }),
      message: (message) => {
        if (message.type === 'tournament_change') this.#soon();
      },
      link: (link) => (this.link = link),
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  /** Asks for another page of the standings, or for the games of a round. */
  async show(page: number, round: number | null = this.round): Promise<void> {
    this.page = page;
    this.round = round;
    await this.look();
  }

  async look(): Promise<void> {
    this.#asked = Date.now();
    try {
      const [now, games] = await Promise.all([
        tournaments.look(this.#id, this.page),
        tournaments.games(this.#id, this.round ?? undefined),
      ]);
      this.ahead = now.now_ms - Date.now();
      this.now = now;
      this.games = games;
      this.page = now.page;
      this.trouble = '';
    } catch (error) {
      this.trouble = (error as Error).message;
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#asked + PAUSE - Date.now());
    this.#timer = setTimeout(() => void this.look(), wait);
  }
}
