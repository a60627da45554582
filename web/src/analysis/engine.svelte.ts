// The engine's lines for the position on the board, asked for over a socket of its own. A new question ends
// the one before; after a lost connection the standing question is asked again.

import type { AnalyseQuestion, AnalysisLine, ClientMessage, ServerMessage } from '../api/types';

type Question = Omit<AnalyseQuestion, 'n'>;

export class Engine {
  lines: AnalysisLine[] = $state.raw([]);
  depth = $state(0);
  nodes = $state(0);
  done = $state(false);
  /** Why there are no lines. */
  trouble = $state('');

  private socket: WebSocket | undefined;
  private question: Question | undefined;
  private n = 0;
  private tries = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;

  /** Asks about a position. */
  ask(question: Question): void {
    this.question = question;
    this.n += 1;
    this.lines = [];
    this.depth = 0;
    this.nodes = 0;
    this.done = false;
    this.trouble = '';
    if (this.socket?.readyState === WebSocket.OPEN) this.send({ type: 'analyse', n: this.n, ...question });
    else if (!this.socket) this.open();
  }

  /** Ends the analysis and lets the connection go. */
  stop(): void {
    this.question = undefined;
    this.lines = [];
    this.depth = 0;
    this.done = false;
    this.trouble = '';
    clearTimeout(this.retry);
    const socket = this.socket;
    this.socket = undefined;
    if (!socket) return;
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'stop_analysis' }));
    socket.close();
  }

  private send(message: ClientMessage): void {
    this.socket?.send(JSON.stringify(message));
  }

  private open(): void {
    clearTimeout(this.retry);
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/api/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.trouble = '';
      if (this.question) this.send({ type: 'analyse', n: this.n, ...this.question });
    };
    socket.onmessage = (event) => {
      if (socket === this.socket) this.hear(JSON.parse(String(event.data)) as ServerMessage);
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.socket = undefined;
      if (!this.question) return;
      this.trouble = 'The connection is lost. Trying again…';
      this.retry = setTimeout(() => this.open(), Math.min(15_000, 500 * 2 ** this.tries++));
    };
  }

  private hear(message: ServerMessage): void {
    if (message.type === 'analysis' && message.n === this.n) {
      this.lines = message.lines;
      this.depth = message.depth;
      this.nodes = message.nodes;
      this.done = message.done;
      this.trouble = '';
    } else if (message.type === 'refused' && message.of === 'analyse') {
      this.trouble = message.message;
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
