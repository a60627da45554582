// The real server for a test: its own port on loopback, its own data folder, gone afterwards. HUSUN_BIN names the
// program; HUSUN_CLIENT a folder with the client to be tested instead of the one inside the program.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PLACES = ['../../../../target/release/husun', '../../../../target/debug/husun'];

function binary() {
  if (process.env.HUSUN_BIN) return process.env.HUSUN_BIN;
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (!found) throw new Error('no husun: build it, or name it in HUSUN_BIN');
  return found;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts a server, whose engine takes its time over a move with `pause`, with other `limits`, with more tables of settings as `tables`, and with tables of perfect play made for the `solved` games. `stop` ends it, `restart` ends it by force and starts it again on the same data. */
export async function startServer({ pause = false, limits = '', tables = '', solved = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'husun-e2e-'));
  const perfect = join(folder, 'tablebases');
  for (const game of solved) await run(binary(), ['tablebase', 'build', game, '--out', join(perfect, game)]);
  const told = solved.length ? `tablebases = '${perfect}'\n` : '';
  const port = await freePort();
  // No time for players to come back after a start, and none that the engine takes beyond its thinking: the tests wait
  // for clocks and moves.
  const config = join(folder, 'config.toml');
  await writeFile(
    config,
    `${told}start_grace_seconds = 0\nengine_pause = ${pause}\n[limits]\n${limits}${tables}`,
  );
  const base = `http://127.0.0.1:${port}`;
  let log = '';
  let child;

  async function start() {
    const client = process.env.HUSUN_CLIENT ? ['--client', process.env.HUSUN_CLIENT] : [];
    child = spawn(
      binary(),
      ['serve', '--data', folder, '--config', config, '--listen', `127.0.0.1:${port}`, ...client],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        log = (log + text).slice(-20_000);
      });
    }
    for (let tries = 0; tries < 200; tries++) {
      if (child.exitCode !== null) throw new Error(`the server ended at once:\n${log}`);
      const answer = await fetch(`${base}/api/variants`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the server does not answer:\n${log}`);
  }

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(force);
  }

  await start();
  return {
    base,
    /** The program and the data folder, for those who run the server. */
    program: binary(),
    folder,
    log: () => log,
    /** With `days` its own time, which stands still while it is down, has gone on by so many. */
    async restart({ days = 0 } = {}) {
      await end('SIGKILL');
      if (days) {
        const [run, ms] = (await readFile(join(folder, 'alive'), 'utf8')).trim().split(/\s+/).map(Number);
        await writeFile(join(folder, 'alive'), `${run} ${ms + days * 24 * 3600 * 1000}\n`);
      }
      await start();
    },
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
