// Notices: settled on the page of the account, told in the page, and pushed: encrypted by the server, opened by the test in the
// place of the browser's push service, and shown by the service worker, whose click leads to the game.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { grid, move, waitForPly } from './lib/play.mjs';
import { pushService } from './lib/push.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage({ tables: '[push]\nallow_private = true\n' });
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let service;
before(async () => (service = await pushService()));
after(() => service?.stop());

async function ask(person, method, path, data) {
  const answer = await person.context.request.fetch(`/api/${path}`, {
    method,
    data,
    headers: { origin: person.base },
  });
  const text = await answer.text();
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** A game that one challenges the other to, who accepts; the one who challenges moves first. */
async function begin(one, other, name, clock) {
  const wish = { variant: 'chess', clock, side: 'white' };
  const { id } = await ask(one, 'POST', `people/${name}/challenges`, wish);
  return (await ask(other, 'POST', `challenges/${id}/accept`, {})).game;
}

test('a push is shown by the service worker, and a click leads to the game', async () => {
  const ann = await here.person();
  const bob = await here.person({ serviceWorkers: 'allow', permissions: ['notifications'] });
  // There is no push service to be reached from here: the browser's own part of turning it on is the test's.
  await bob.context.addInitScript((subscription) => {
    if (!('PushManager' in globalThis)) return;
    PushManager.prototype.subscribe = async function (options) {
      globalThis.subscribedUnder = [...new Uint8Array(options.applicationServerKey)];
      return { toJSON: () => subscription, ...subscription };
    };
  }, service.subscription);
  await visit(ann, async (annPage) => {
    await register(annPage, 'Pusher');
    await visit(bob, async (page) => {
      await register(page, 'Pushed');
      await page.goto('/account');
      await page.getByRole('button', { name: 'Turn on in this browser' }).click();
      await page.getByText('Turned on in this browser.').waitFor();
      await page.getByText('This browser gets notices, even while no page is open.').waitFor();
      await fits(page);
      const { push_key: key, browsers } = await ask(bob, 'GET', 'account/notices');
      assert.equal(browsers.length, 1);
      const under = await page.evaluate(() => globalThis.subscribedUnder);
      assert.equal(Buffer.from(under).toString('base64url'), key);

      const devtools = await bob.context.newCDPSession(page);
      const registered = new Promise((resolve) =>
        devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(bob.base));
          if (own) resolve(own.registrationId);
        }),
      );
      await devtools.send('ServiceWorker.enable');
      const registrationId = await registered;
      const deliver = (data) =>
        devtools.send('ServiceWorker.deliverPushMessage', { origin: bob.base, registrationId, data });

      const game = await begin(ann, bob, 'Pushed', 'days:3');
      assert.equal(JSON.parse((await service.next(key)).text).kind, 'challenge');
      // Who accepts is taken to the game, and goes elsewhere.
      await page.waitForURL(`**/game/${game}`);
      await page.goto('/learn');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(500);
      await annPage.goto(`/game/${game}`);
      await grid(annPage).waitFor();
      await move(annPage, 'e2e4');
      await waitForPly(annPage, 1);
      const { text, claims } = await service.next(key);
      assert.equal(claims.aud, service.origin);
      const notice = JSON.parse(text);
      assert.deepEqual(notice, {
        kind: 'your_turn',
        title: 'Your turn',
        text: 'Pusher has moved in Chess: e4.',
        address: `/game/${game}`,
        tag: `game.${game}`,
      });
      // The page that is open tells it, too.
      const card = page.getByRole('status').filter({ hasText: 'Pusher has moved in Chess: e4.' });
      await card.waitFor();
      await fits(page);

      await deliver(text);
      const shown = () =>
        page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          const all = await registration.getNotifications();
          return all.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
        });
      const expected = {
        title: notice.title,
        body: notice.text,
        tag: notice.tag,
        data: { address: notice.address },
      };
      const until = async (count) => {
        for (let tries = 0; tries < 100 && (await shown()).length !== count; tries++)
          await page.waitForTimeout(50);
        return shown();
      };
      assert.deepEqual(await until(1), [expected]);
      // The next about the same game takes its place.
      await deliver(JSON.stringify({ ...notice, text: 'Pusher has moved in Chess: d4.' }));
      for (let tries = 0; tries < 100 && !(await shown())[0]?.body.includes('d4'); tries++)
        await page.waitForTimeout(50);
      assert.deepEqual(
        (await shown()).map(({ body }) => body),
        ['Pusher has moved in Chess: d4.'],
      );

      // A click: no person's hand is here, so the window that it opens is the test's.
      const [worker] = bob.context.serviceWorkers();
      const opened = await worker.evaluate(async () => {
        const [notification] = await self.registration.getNotifications();
        return new Promise((resolve) => {
          self.clients.openWindow = async (address) => resolve(address);
          self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
        });
      });
      assert.equal(opened, `${bob.base}/game/${game}`);
      assert.deepEqual(await until(0), []);
      await page.goto(opened);
      await page.getByText('It is your turn.').waitFor();
      assert.equal(await card.count(), 0, 'what one looks at is not told');

      // Who looks at the game is shown nothing more by the system.
      await page.bringToFront();
      await deliver(text);
      await page.waitForTimeout(500);
      assert.deepEqual(await shown(), []);

      // Turned off, nothing more is pushed; nor after signing out.
      await page.goto('/account');
      await page.getByRole('button', { name: 'Turn off here' }).click();
      await page.getByText('Turned off in this browser.').waitFor();
      await ask(ann, 'POST', 'people/Pushed/challenges', { variant: 'chess', clock: 'days:3' });
      await page.waitForTimeout(700);
      assert.equal(service.waiting(), 0);
      await page.getByRole('button', { name: 'Turn on in this browser' }).click();
      await page.getByText('Turned on in this browser.').waitFor();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL((url) => url.pathname === '/');
      await ask(ann, 'POST', 'people/Pushed/challenges', { variant: 'chess', clock: 'days:3' });
      await page.waitForTimeout(700);
      assert.equal(service.waiting(), 0);
    });
  });
});

test('notices are settled by keyboard, on a phone upright and across, in light and dark', async () => {
  const [ann, bob] = [await here.person(), await here.person(PHONE)];
  await visit(ann, async (annPage) => {
    await register(annPage, 'Settler');
    await visit(bob, async (page) => {
      await register(page, 'Settled');
      await page.goto('/account');
      const box = page.getByRole('checkbox', { name: 'Your turn: In the page' });
      await box.waitFor();
      assert.equal(await page.getByRole('checkbox', { name: /By e-mail$/ }).count(), 0, 'none is sent');
      for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: scheme });
        await fits(page);
      }
      await page.setViewportSize({ width: 844, height: 390 });
      await fits(page);
      await page.setViewportSize(PHONE.viewport);

      const game = await begin(ann, bob, 'Settled', 'days:3');
      await annPage.goto(`/game/${game}`);
      await grid(annPage).waitFor();
      await page.goto('/learn');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(500);
      await move(annPage, 'e2e4');
      const card = page.getByRole('status').filter({ hasText: 'Settler has moved in Chess: e4.' });
      await card.waitFor();
      await fits(page);
      await card.getByRole('link', { name: 'Look' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/game/${game}`);
      await page.getByText('It is your turn.').waitFor();
      await move(page, 'e7e5');
      await waitForPly(page, 2);

      // Switched off by keyboard, it stays off.
      await page.goto('/account');
      await box.focus();
      await page.keyboard.press('Space');
      for (let tries = 0; tries < 100; tries++) {
        if (!(await ask(bob, 'GET', 'account/notices')).wishes.your_turn.page) break;
        await page.waitForTimeout(50);
      }
      await page.reload();
      await box.waitFor();
      assert.equal(await box.isChecked(), false);
      await page.goto('/learn');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(500);
      await move(annPage, 'g1f3');
      await waitForPly(annPage, 3);
      await page.waitForTimeout(700);
      assert.equal(await page.getByText('has moved in Chess').count(), 0);

      // Links of e-mails lead to pages that say so where the server sends none.
      bob.allowed.push(/404/);
      await page.goto('/mail/stop/nothing');
      await page.getByRole('heading', { name: 'No more e-mails' }).waitFor();
      await fits(page);
      await page.getByRole('button', { name: 'Send me no more e-mails' }).click();
      await page.getByRole('alert').getByText('sends no e-mail').waitFor();
      await fits(page);
    });
  });
});
