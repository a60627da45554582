// Sounds made on the spot with Web Audio: no files to load. Says nothing about when they are played.

export type Sound = 'move' | 'capture' | 'check' | 'end' | 'offer';

/** One tone or knock: start and length in seconds, pitch in hertz (where it ends if it slides), loudness 0 to 1. */
interface Part {
  at: number;
  long: number;
  pitch: number;
  to?: number;
  loud: number;
  shape: OscillatorType | 'knock';
}

const SCORES: Record<Sound, Part[]> = {
  move: [
    { at: 0, long: 0.05, pitch: 1400, loud: 0.5, shape: 'knock' },
    { at: 0, long: 0.08, pitch: 220, to: 140, loud: 0.35, shape: 'sine' },
  ],
  capture: [
    { at: 0, long: 0.04, pitch: 2200, loud: 0.5, shape: 'knock' },
    { at: 0.045, long: 0.07, pitch: 900, loud: 0.6, shape: 'knock' },
    { at: 0.045, long: 0.12, pitch: 180, to: 90, loud: 0.45, shape: 'sine' },
  ],
  check: [
    { at: 0, long: 0.05, pitch: 1400, loud: 0.4, shape: 'knock' },
    { at: 0.03, long: 0.12, pitch: 660, loud: 0.2, shape: 'triangle' },
    { at: 0.15, long: 0.16, pitch: 880, loud: 0.2, shape: 'triangle' },
  ],
  end: [
    { at: 0, long: 0.3, pitch: 392, loud: 0.2, shape: 'triangle' },
    { at: 0.16, long: 0.3, pitch: 494, loud: 0.2, shape: 'triangle' },
    { at: 0.32, long: 0.6, pitch: 587, loud: 0.2, shape: 'triangle' },
  ],
  offer: [
    { at: 0, long: 0.12, pitch: 740, loud: 0.18, shape: 'sine' },
    { at: 0.14, long: 0.18, pitch: 988, loud: 0.18, shape: 'sine' },
  ],
};

let audio: AudioContext | undefined;
let hiss: AudioBuffer | undefined;
let silent = false;

/** Turns sounds off or on. */
export function setMuted(off: boolean): void {
  silent = off;
  if (off) void audio?.suspend();
}

/** Plays a sound. Silent where sounds are off or the browser does not allow any before the first click. */
export function play(kind: Sound): void {
  if (silent || typeof AudioContext === 'undefined') return;
  // A browser holds back sound until the reader has done something; asking earlier only fills its log.
  if (!audio && navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
  audio ??= new AudioContext();
  void audio.resume();
  const start = audio.currentTime + 0.01;
  for (const part of SCORES[kind]) sound(audio, part, start + part.at);
}

function sound(on: AudioContext, part: Part, start: number): void {
  const end = start + part.long;
  const volume = on.createGain();
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(part.loud * 0.6, start + 0.005);
  volume.gain.exponentialRampToValueAtTime(0.0005, end);
  volume.connect(on.destination);
  if (part.shape === 'knock') {
    const source = on.createBufferSource();
    source.buffer = hiss ??= noise(on);
    const filter = on.createBiquadFilter();
    filter.type = 'bandpass';
    filter.frequency.value = part.pitch;
    filter.Q.value = 1.2;
    source.connect(filter).connect(volume);
    source.start(start);
    source.stop(end);
  } else {
    const tone = on.createOscillator();
    tone.type = part.shape;
    tone.frequency.setValueAtTime(part.pitch, start);
    if (part.to) tone.frequency.exponentialRampToValueAtTime(part.to, end);
    tone.connect(volume);
    tone.start(start);
    tone.stop(end);
  }
}

function noise(on: AudioContext): AudioBuffer {
  const buffer = on.createBuffer(1, on.sampleRate / 4, on.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}
