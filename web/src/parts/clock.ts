// Times of the clocks as they stand now: counted down from the server's last figures. The server keeps the
// time; what is computed here is only shown.
import type { Clocks, Side, Time } from '../api/types';

/** The clocks that are offered wherever one is chosen. */
export const CLOCKS = [
  'fischer:3m+2s',
  'fischer:5m+3s',
  'fischer:10m+5s',
  'fischer:30m+20s',
  'tiger:5m+5s',
  'tiger:15m+10s',
  'tiger:120m+60s',
  'days:1',
  'days:3',
  'days:7',
];

export type ClockKind = 'tiger' | 'fischer' | 'delay' | 'byoyomi' | 'days' | 'none';

export interface ClockSpec {
  kind: ClockKind;
  /** Length of a byoyomi period in milliseconds. */
  period: number;
}

/** A clock's text form, as far as showing the times needs it. */
export function readClock(clock: string): ClockSpec {
  const kind = clock.split(':')[0];
  const known =
    kind === 'tiger' || kind === 'fischer' || kind === 'delay' || kind === 'byoyomi' || kind === 'days';
  const period = /x(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(clock);
  return {
    kind: known ? kind : 'none',
    period: period ? Number(period[1] ?? 0) * 60_000 + Number(period[2] ?? 0) * 1000 : 0,
  };
}

/** A side's time after `elapsed` milliseconds on its turn. */
export function runDown({ kind, period }: ClockSpec, time: Time, elapsed: number): Time {
  let main = time.main_ms;
  let extra = time.extra_ms ?? 0;
  let periods = time.periods ?? null;
  const left = Math.max(0, elapsed);
  if (kind === 'delay') {
    const held = Math.min(extra, left);
    extra -= held;
    main -= left - held;
  } else if (kind === 'tiger' || kind === 'byoyomi') {
    const used = Math.min(main, left);
    main -= used;
    extra -= left - used;
    while (extra <= 0 && period > 0 && periods !== null && periods > 1) {
      extra += period;
      periods -= 1;
    }
  } else {
    main -= left;
  }
  return { main_ms: Math.max(0, main), extra_ms: time.extra_ms == null ? null : Math.max(0, extra), periods };
}

/** A side's time now. */
export function timeNow(spec: ClockSpec, clocks: Clocks, side: Side, sinceUpdate: number): Time {
  const time = clocks.times[side];
  return clocks.running === side ? runDown(spec, time, sinceUpdate) : time;
}

/** What is left before the flag falls, as far as the figures tell. */
export function total({ kind, period }: ClockSpec, time: Time): number {
  const later = kind === 'byoyomi' ? period * Math.max(0, (time.periods ?? 1) - 1) : 0;
  return time.main_ms + (kind === 'fischer' || kind === 'days' ? 0 : (time.extra_ms ?? 0)) + later;
}

/** A time as `1:05:09`, `4:07`, and with tenths below ten seconds where it runs. */
export function timeText(ms: number, runs = false): string {
  if (runs && ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  if (days >= 1) {
    const hours = Math.floor((seconds % 86_400) / 3600);
    return `${days} ${days === 1 ? 'day' : 'days'} ${hours} h`;
  }
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A time in words, for those who listen. */
export function timeWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts: string[] = [];
  const add = (n: number, word: string) => {
    if (n) parts.push(`${n} ${word}${n === 1 ? '' : 's'}`);
  };
  add(Math.floor(seconds / 86_400), 'day');
  add(Math.floor(seconds / 3600) % 24, 'hour');
  add(Math.floor(seconds / 60) % 60, 'minute');
  if (seconds < 3600) add(seconds % 60, 'second');
  return parts.join(' ') || '0 seconds';
}

function span(text: string): string {
  return text
    .replace(/(\d+)m/, (_, n: string) => {
      const minutes = Number(n);
      return minutes >= 120 && minutes % 60 === 0 ? `${minutes / 60} h ` : `${minutes} min `;
    })
    .replace(/([\d.]+)s/, '$1 s')
    .trim();
}

/** A clock as short as those say it who know clocks: `5+3`, `3 days`. */
export function clockShort(clock: string): string {
  const [, kind, minutes, seconds] = /^(fischer|tiger):(\d+)m\+(\d+)s$/.exec(clock) ?? [];
  if (kind) return `${kind === 'tiger' ? 'TigerClock ' : ''}${minutes}+${seconds}`;
  return clockWords(clock).replace(/ a move$/, '');
}

/** A clock as people say it. */
export function clockWords(clock: string | null | undefined): string {
  if (!clock) return 'no clock';
  const [kind, rest = ''] = clock.split(':');
  const [first = '', second = ''] = rest.split('+');
  switch (kind) {
    case 'fischer':
      return /^0+s$/.test(second) ? span(first) : `${span(first)} + ${span(second)} a move`;
    case 'tiger':
      return `TigerClock ${span(first)} + ${span(second)}`;
    case 'delay':
      return `${span(first)}, delay ${span(second)}`;
    case 'byoyomi': {
      const [count = '', length = ''] = second.split('x');
      return `${span(first)}, byoyomi ${count} × ${span(length)}`;
    }
    case 'days':
      return rest === '1' ? 'a day a move' : `${rest} days a move`;
    default:
      return 'no clock';
  }
}
