// Moderation: one reports, another moderates and settles, all by keyboard; what is announced is seen; what is removed is gone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fits, violations } from './lib/axe.mjs';
import { register } from './lib/people.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const run = promisify(execFile);

/** Who runs the server. */
async function admin(...words) {
  const { stdout } = await run(here.server.program, ['admin', '--data', here.server.folder, ...words]);
  return stdout;
}

/** Moves the focus by the key alone until it is on what is wanted. */
async function tabTo(page, wanted) {
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate((element) => element === document.activeElement).catch(() => false)) return;
  }
  assert.fail(`the keyboard does not reach ${wanted}`);
}

async function press(page, wanted) {
  await wanted.waitFor();
  await tabTo(page, wanted);
  await page.keyboard.press('Enter');
}

test('a report is made, seen by those who moderate alone, and settled by keyboard', async () => {
  const [rude, mona, ann] = [await here.person(), await here.person(), await here.person(PHONE)];
  let game;
  await visit(rude, async (page) => {
    await register(page, 'Rudolf');
    game = await rude.makeGame({ variant: 'chess', side: 'white' });
    await page.goto(`/game/${game.id}`);
    await page.getByText('Links to this game').waitFor();
    await visit(ann, async (page) => {
      await register(page, 'Ann_K');
      await page.goto(`/game/${game.id}#${game.friend_seat}`);
      const chat = page.getByRole('region', { name: 'Chat' });
      await chat.waitFor();
      await rude.page.getByRole('textbox', { name: 'Message' }).fill('you play like a donkey');
      await rude.page.getByRole('button', { name: 'Send' }).click();
      await chat.getByText('like a donkey').waitFor();
      // One line, to be reported without looking far for it.
      await chat.getByRole('button', { name: 'Report: you play like a donkey' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('What is wrong?').selectOption('abuse');
      await dialog.getByLabel('What happened?').fill('He began at once.');
      await fits(page);
      await dialog.getByRole('button', { name: 'Report', exact: true }).click();
      await dialog.getByText('Thank you. The moderators will see it.').waitFor();
      await dialog.getByRole('button', { name: 'Good' }).click();
      // She does not moderate: there is nothing for her.
      ann.allowed.push(/404/);
      await page.goto('/moderate');
      await page.getByRole('alert').getByText('for moderators').waitFor();
      await fits(page);

      await visit(mona, async (moderating) => {
        await register(moderating, 'Mona');
        assert.match(await admin('moderators', 'add', 'Mona'), /moderates now/);
        await moderating.goto('/account');
        await moderating.getByRole('link', { name: /^Moderation: reports/ }).click();
        const report = moderating.getByRole('article');
        await report.getByText('you play like a donkey').waitFor();
        await report.getByText('He began at once.').waitFor();
        await fits(moderating);
        // All by keyboard from here on.
        await press(moderating, report.getByRole('button', { name: 'Remove the line…' }));
        let dialog = moderating.getByRole('dialog');
        await tabTo(moderating, dialog.getByLabel('Why?'));
        await moderating.keyboard.type('insult');
        await fits(moderating);
        await press(moderating, dialog.getByRole('button', { name: 'Do it' }));
        await moderating.getByText('the line is removed').waitFor();
        await press(moderating, report.getByRole('button', { name: 'No chat…' }));
        dialog = moderating.getByRole('dialog');
        await tabTo(moderating, dialog.getByLabel('Why?'));
        await moderating.keyboard.type('insults');
        await press(moderating, dialog.getByRole('button', { name: 'Do it' }));
        await moderating.getByText(/Rudolf may not write in chat, until/).waitFor();
        await tabTo(moderating, report.getByLabel('Answer to this report'));
        await moderating.keyboard.type('He is quiet for a day.');
        await moderating.keyboard.press('Enter');
        await moderating.getByText('There are no open reports.').waitFor();
        await press(moderating, moderating.getByRole('link', { name: 'Log', exact: true }));
        await moderating.getByText('removed chat of').waitFor();
        await fits(moderating);
        for (const [part, there] of [
          ['Bans', /no chat, until/],
          ['Accounts', /last here/],
        ]) {
          await moderating.getByRole('link', { name: part, exact: true }).click();
          await moderating.getByText(there).first().waitFor();
          await fits(moderating);
        }
        await moderating.getByRole('link', { name: 'Rudolf' }).click();
        await moderating.getByRole('heading', { name: 'What was done' }).waitFor();
        await fits(moderating);
      });

      // Both see that the line is gone, and he is told that he is quiet.
      await rude.page.getByText('removed by a moderator').waitFor();
      await rude.page.getByRole('textbox', { name: 'Message' }).fill('what?');
      await rude.page.getByRole('button', { name: 'Send' }).click();
      await rude.page.getByText(/You may not write in chat, until .* insults/).waitFor();
      await page.goto('/account');
      await page.getByText('He is quiet for a day.').waitFor();
      await fits(page);
    });
  });
});

test('tournaments and votes are called off by who moderates', async () => {
  const [olga, rita] = [await here.person(), await here.person(PHONE)];
  await visit(olga, async (page) => {
    await register(page, 'Olga_T');
    const day = 24 * 3_600_000;
    const post = (path, data) => page.request.post(`/api/${path}`, { data });
    const cup = await post('tournaments', {
      name: 'Nonsense Cup',
      kind: { swiss: { rounds: 3 } },
      games: ['chess'],
      clock: 'fischer:5m+3s',
      starts_ms: Date.now() + day,
    });
    assert.equal(cup.status(), 201, await cup.text());
    const vote = await post('votes', {
      question: 'Is this a vote?',
      candidates: [{ text: 'Yes' }, { text: 'No' }],
      closes_ms: Date.now() + 3 * day,
    });
    assert.equal(vote.status(), 201, await vote.text());
    await visit(rita, async (moderating) => {
      await register(moderating, 'Rita');
      assert.match(await admin('moderators', 'add', 'Rita'), /moderates now/);
      await moderating.goto('/moderate');
      await moderating.getByRole('link', { name: 'Tournaments and votes' }).click();
      for (const [button, told] of [
        ['Call off the tournament Nonsense Cup', 'the tournament is called off'],
        ['Call off the vote Is this a vote?', 'the vote is called off'],
      ]) {
        await press(moderating, moderating.getByRole('button', { name: button }));
        const dialog = moderating.getByRole('dialog');
        await tabTo(moderating, dialog.getByLabel('Why?'));
        await moderating.keyboard.type('nonsense');
        await fits(moderating);
        await press(moderating, dialog.getByRole('button', { name: 'Do it' }));
        await dialog.waitFor({ state: 'detached' });
        await moderating.getByRole('button', { name: button }).waitFor({ state: 'detached' });
        await moderating.getByRole('status').filter({ hasText: told }).waitFor();
      }
      await moderating.getByText('No tournament is announced.').waitFor();
      await moderating.getByText('No vote is open.').waitFor();
      assert.deepEqual(await violations(moderating), []);
      await fits(moderating);
    });
    await page.goto(`/tournament/${(await cup.json()).id}`);
    await page.getByText('It did not take place.').waitFor();
  });
});

test('who moderates sees nodes, games and workers', async () => {
  const mona = await here.person(PHONE);
  await visit(mona, async (page) => {
    await register(page, 'Nora');
    assert.match(await admin('moderators', 'add', 'Nora'), /moderates now/);
    await page.goto('/moderate');
    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    await page.getByText('This server runs alone: it has all games.').waitFor();
    await page.getByText('No worker lends its cores').waitFor();
    await fits(page);
    // As several nodes of two versions would answer.
    const node = (name, boot, state, more) => ({
      name,
      boot,
      state,
      address: `10.0.0.${boot}:8000`,
      version: '1.2.3',
      protocol: 1,
      leads: false,
      lease_ms: 2500,
      live: 7,
      owned: 12,
      ...more,
    });
    const answer = {
      asked: 'beta',
      nodes: [
        node('alpha', 4, 'alive', { leads: true, owned: 31 }),
        node('beta', 5, 'alive', { protocol: 2, version: '1.3.0' }),
        node('gamma', 3, 'gone', { lease_ms: 0, owned: 2 }),
      ],
      unowned: 3,
      workers: [{ name: 'attic', threads: 8, busy: 5 }],
    };
    await page.route('**/api/moderate/nodes', (route) => route.fulfill({ json: answer }));
    // It looks again by itself.
    const row = (name) => page.getByRole('row', { name: new RegExp(`^${name} `) });
    await row('alpha').waitFor();
    const cells = async (name) => (await row(name).getByRole('cell').allInnerTexts()).slice(0, 5);
    assert.deepEqual(await cells('alpha'), ['leads', '31', '7', '2.5 s', '1.2.3 (speaks 1)']);
    assert.deepEqual(await cells('beta'), ['there', '12', '7', '2.5 s', '1.3.0 (speaks 2)']);
    assert.deepEqual(await cells('gamma'), ['gone', '2', '7', '0.0 s', '1.2.3 (speaks 1)']);
    await page.getByText('This page comes from beta. Games that wait for a node: 3.').waitFor();
    await page.getByText('Nodes of two versions').waitFor();
    assert.deepEqual(await row('attic').getByRole('cell').allInnerTexts(), ['8', '5']);
    await fits(page);
    if (process.env.HUSUN_SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.HUSUN_SCREENSHOTS}/nodes-phone.png` });
      await page.setViewportSize({ width: 1200, height: 700 });
      await page.screenshot({ path: `${process.env.HUSUN_SCREENSHOTS}/nodes.png` });
    }
  });
});

test('what is announced stands at the top of every page until its end', async () => {
  const watcher = await here.person(PHONE);
  await visit(watcher, async (page) => {
    // A socket is open here: it is told at once.
    const game = await watcher.makeGame({ variant: 'chess', side: 'white' });
    await page.goto(`/game/${game.id}`);
    await page.getByText('Links to this game').waitFor();
    const told = await admin('announce', 'The server rests at noon', '--for', '1h', '--json');
    const line = page.getByRole('status', { name: 'Announcements' }).getByText('The server rests at noon');
    await line.waitFor();
    await fits(page);
    // Here none is: it is asked for.
    await page.goto('/rules');
    await line.waitFor();
    await fits(page);
    await press(page, page.getByRole('button', { name: 'Close: The server rests at noon' }));
    await line.waitFor({ state: 'detached' });
    await page.goto('/learn');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(500);
    assert.equal(await line.count(), 0, 'what was put away stays away');
    const other = await here.person();
    await visit(other, async (page) => {
      await page.goto('/rules');
      await page.getByText('The server rests at noon').waitFor();
      await admin('announce', '--end', JSON.parse(told).id);
      await page.goto('/learn');
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await page.getByText('The server rests at noon').count(), 0);
    });
  });
});

test('a banned account is told why and until when, and closes its pages', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await register(page, 'Benno');
    const game = await person.makeGame({ variant: 'chess', side: 'white' });
    await page.goto(`/game/${game.id}`);
    await page.getByText('Links to this game').waitFor();
    await admin('ban', 'Benno', '--for', '2h', '--reason', 'help by a program');
    await page.goto('/account');
    person.allowed.push(/403/);
    await page.getByLabel('Name', { exact: true }).fill('Benno');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(/This account is banned, until .* help by a program/).waitFor();
    assert.deepEqual(await violations(page), []);
  });
});
