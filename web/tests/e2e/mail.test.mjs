// Notices by e-mail: an address is given, confirmed by the link that is sent there, written to, and ended by the link in each.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fits } from './lib/axe.mjs';
import { openBrowser, Person } from './lib/browser.mjs';
import { mailServer } from './lib/mail.mjs';
import { register } from './lib/people.mjs';
import { startServer } from './lib/server.mjs';
import { visit } from './lib/stage.mjs';

const here = {};
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const SITE = 'https://play.example.org';

before(async () => {
  here.mail = await mailServer();
  const tables = `[mail]\nhost = "127.0.0.1"\nport = ${here.mail.port}\ntls = "none"\nfrom = "Club <club@example.org>"\nsite = "${SITE}"\n`;
  [here.server, here.browser] = await Promise.all([startServer({ tables }), openBrowser()]);
});
after(async () => {
  await here.browser?.close();
  await here.server?.stop();
  await here.mail?.stop();
});

/** The path of a link in a letter. */
function linkTo(letter, path) {
  const found = new RegExp(`${SITE}(${path}/[a-z0-9-]+)`).exec(letter.replaceAll('=\r\n', ''));
  assert.ok(found, letter);
  return found[1];
}

test('an address is given, confirmed, written to, and no more', async () => {
  const ann = await Person.come(here.browser, here.server.base);
  const bob = await Person.come(here.browser, here.server.base, PHONE);
  await visit(ann, async (annPage) => {
    await register(annPage, 'Writer');
    await visit(bob, async (page) => {
      await register(page, 'Reader');
      await page.goto('/account');
      await page.getByRole('checkbox', { name: 'A challenge: By e-mail' }).waitFor();
      await page.getByLabel('Address').fill('reader@example.org');
      await page.keyboard.press('Enter');
      await page.getByText('A link to confirm it is on its way to you.').waitFor();
      await page.getByText('not confirmed yet').waitFor();
      await fits(page);
      const first = await here.mail.next();
      assert.match(first, /^To: reader@example\.org\r$/m);
      await page.goto(linkTo(first, '/mail/confirm'));
      await page.getByRole('button', { name: 'Confirm the address' }).focus();
      await fits(page);
      await page.keyboard.press('Enter');
      await page.getByText('The address is confirmed.').waitFor();
      await fits(page);
      await page.getByRole('link', { name: 'Your notice settings' }).click();
      await page.getByText('reader@example.org').waitFor();
      assert.equal(await page.getByText('not confirmed yet').count(), 0);

      // Nobody is there: the page is left.
      await page.goto('about:blank');
      await page.waitForTimeout(500);
      const asked = await ann.context.request.post('/api/people/Reader/challenges', {
        data: { variant: 'chess', clock: 'days:3' },
        headers: { origin: ann.base },
      });
      assert.ok(asked.ok());
      const letter = await here.mail.next();
      assert.match(letter, /Writer challenges you: Chess\./);
      assert.match(letter, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      await page.goto(linkTo(letter, '/mail/stop'));
      await page.getByRole('button', { name: 'Send me no more e-mails' }).click();
      await page.getByText('Nothing more will be sent to you.').waitFor();
      await fits(page);
      await page.goto('/account');
      await page.getByLabel('Address').waitFor();
      assert.equal(await page.getByText('reader@example.org').count(), 0);
    });
  });
});
