// The engine's lines for the position on the board, asked for over a socket of its own. A new question ends
// the one before; after a lost connection the standing question is asked again.

import { sentence } from '../parts/plain';
import { Socket } from '../api/socket';
import type { AnalyseQuestion, AnalysisLine, ServerMessage } from '../api/types';

type Question = Omit<AnalyseQuestion, 'n'>;

export class Engine {
  lines: AnalysisLine[] = $state.raw([]);
  depth = $state(0);
  nodes = $state(0);
  done = $state(false);
  /** Why there are no lines. */
  trouble = $state('');

  #socket: Socket | undefined;
  #question: Question | undefined;
  #n = 0;

  /** Asks about a position. */
  ask(question: Question): void {
    this.#question = question;
    this.#n += 1;
    this.#forget();
    if (this.#socket) this.#send();
    else {
      this.#socket = new Socket({
        opened: () => this.#send(),
        message: (message) => this.#hear(message),
        link: (link) => {
          this.trouble = link === 'lost' ? 'The connection is lost. Trying again…' : '';
        },
      });
    }
  }

  /** Forgets the lines at once, where the next question comes soon. */
  pause(): void {
    this.#question = undefined;
    this.#n += 1;
    this.#forget();
  }

  /** Ends the analysis and lets the connection go. */
  stop(): void {
    this.#question = undefined;
    this.#socket?.send({ type: 'stop_analysis' });
    this.#socket?.close();
    this.#socket = undefined;
    this.#forget();
  }

  #send(): void {
    if (this.#question) this.#socket?.send({ type: 'analyse', n: this.#n, ...this.#question });
  }

  #forget(): void {
    this.lines = [];
    this.depth = 0;
    this.nodes = 0;
    this.done = false;
    this.trouble = '';
  }

  #hear(message: ServerMessage): void {
    if (message.type === 'analysis' && message.n === this.#n) {
      this.lines = message.lines;
      this.depth = message.depth;
      this.nodes = message.nodes;
      this.done = message.done;
      this.trouble = '';
    } else if (message.type === 'refused') {
      this.trouble = sentence(message.message);
      this.done = true;
    }
  }
}

/** A line's score for people, from White's side: `+0.35`, `#4`, `#-2`. */
export function score(line: AnalysisLine): string {
  if (line.mate !== undefined && line.mate !== null) return `#${line.mate}`;
  const pawns = (line.cp ?? 0) / 100;
  return `${pawns > 0 ? '+' : ''}${pawns.toFixed(Math.abs(pawns) >= 10 ? 1 : 2)}`;
}
