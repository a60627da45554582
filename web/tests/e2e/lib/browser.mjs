// Chromium for a test. Every page is watched: what its console says in red, errors that nobody caught, and
// breaches of the content security policy fail the test.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
}

/** A person with a browser of their own: cookies, storage and one page. */
export class Person {
  faults = [];
  /** Patterns of faults that a test brings about on purpose. */
  allowed = [];

  static async come(browser, base, options = {}) {
    const person = new Person();
    person.base = base;
    person.context = await browser.newContext({
      baseURL: base,
      viewport: { width: 1280, height: 900 },
      serviceWorkers: 'block',
      reducedMotion: 'reduce',
      ...options,
    });
    await person.context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(
          `CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
        );
      });
      // Lets a test cut the connection: Chromium's offline mode spares sockets that are open.
      const sockets = [];
      const Real = WebSocket;
      globalThis.WebSocket = class extends Real {
        constructor(...args) {
          super(...args);
          sockets.push(this);
        }
      };
      globalThis.cutSockets = () => sockets.splice(0).forEach((socket) => socket.close());
    });
    await person.newPage();
    return person;
  }

  async newPage() {
    const page = await this.context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.faults.push(String(error.stack ?? error)));
    page.on('response', (response) => {
      if (response.status() >= 500) this.faults.push(`${response.status()} ${response.url()}`);
    });
    this.page = page;
    return page;
  }

  /** Goes off the network: what is open is cut, and nothing new can be opened. */
  async goOffline() {
    await this.context.setOffline(true);
    await this.page.evaluate(() => globalThis.cutSockets());
  }

  async comeBack() {
    await this.context.setOffline(false);
  }

  /** Makes a game by the interface, as this person. */
  async makeGame(wish) {
    const answer = await this.context.request.post('/api/games', {
      data: wish,
      headers: { origin: this.base },
    });
    const body = await answer.text();
    assert.equal(answer.ok(), true, `POST /api/games ${JSON.stringify(wish)}: ${answer.status()} ${body}`);
    return JSON.parse(body);
  }

  /** What the server says of a game. */
  async snapshot(id) {
    const answer = await this.context.request.get(`/api/games/${id}`);
    assert.equal(answer.ok(), true, `GET /api/games/${id}: ${answer.status()}`);
    return answer.json();
  }

  /** Ends the visit; fails if anything went wrong that the test did not want. */
  async leave() {
    await this.context.close();
    const left = this.faults.filter((fault) => !this.allowed.some((pattern) => pattern.test(fault)));
    assert.deepEqual(left, [], 'the browser reported errors');
  }
}
