// Accounts: made with a password or a passkey by a guest who keeps the games, opened elsewhere, changed, deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAccessible, isNotTooWide } from './lib/axe.mjs';
import { findGame, grid, move, waitForPly } from './lib/play.mjs';
import { stage, visit } from './lib/stage.mjs';

const here = stage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const WORD = 'correct horse battery';

async function register(page, name, password) {
  await page.goto('/register');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('radio', { name: /password/ }).check();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: `Welcome, ${name}` }).waitFor();
  const codes = await page.locator('code').allInnerTexts();
  assert.equal(codes.length, 8);
  await page.getByLabel('I have kept them').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForURL('**/mine');
  return codes;
}

async function signIn(page, name, password) {
  await page.goto('/account');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('a guest registers with a password, keeps the game, finds it on another device, and is let back in by a code', async () => {
  const person = await here.person();
  await visit(person, async (page) => {
    await page.goto('/');
    await (await findGame(page, 'Play Chess against the engine')).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await grid(page).waitFor();
    await move(page, 'e2e4');
    await waitForPly(page, 2);
    const game = page.url();
    const codes = await register(page, 'Ann_B', WORD);
    await page.getByText('You play as Ann_B').waitFor();
    await page
      .locator(`a[href="${new URL(game).pathname}"]`)
      .first()
      .waitFor();
    await page.locator('header .person', { hasText: 'Ann_B' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await isAccessible(page);
    const phone = await here.person(PHONE);
    phone.allowed.push(/403/);
    await visit(phone, async (page) => {
      await signIn(page, 'ann-b', 'not her words');
      await page.getByRole('alert').getByText('no account of this name with this password').waitFor();
      await isAccessible(page);
      await page.getByRole('button', { name: 'I have lost my password' }).click();
      await page.getByLabel('Recovery code').fill(codes[0]);
      await page.getByLabel('New password').fill('another horse battery');
      await page.getByRole('button', { name: 'Set the password and sign in' }).click();
      await page.waitForURL('**/mine');
      await page.getByText('You play as Ann_B').waitFor();
      await page.getByText('Your turn', { exact: true }).waitFor();
      await isNotTooWide(page);
    });
    // What was open before is not any more.
    await page.goto('/account');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

test('a passkey makes an account and opens it, by keyboard alone', async () => {
  const person = await here.person({ baseURL: here.server.base.replace('127.0.0.1', 'localhost') });
  person.allowed.push(/422/);
  await visit(person, async (page) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto('/register');
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('Keyholder');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Welcome, Keyholder' }).waitFor();
    await isAccessible(page);
    await page.getByLabel('I have kept them').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/mine');
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/mine');
    await page.getByText('You play as Keyholder').waitFor();
    // The only way in is not removed; a password makes it one of two.
    await page.goto('/account');
    await page.getByRole('button', { name: /^Remove the passkey/ }).click();
    await page.getByRole('alert').getByText('all that opens your account').waitFor();
    await page.getByLabel('New password').fill(WORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The new password is set').waitFor();
    await page.getByRole('button', { name: /^Remove the passkey/ }).click();
    await page.getByText('The passkey is removed.').waitFor();
  });
});

test('names of others are refused, and an account is deleted', async () => {
  const person = await here.person();
  person.allowed.push(/409|422/);
  await visit(person, async (page) => {
    await register(page, 'Leaver', WORD);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Delete the account…' }).click();
    const last = page.getByRole('button', { name: 'Delete for ever' });
    assert.ok(await last.isDisabled());
    await page.getByLabel('Your password').fill(WORD);
    await page.getByLabel('Your name').fill('Leaver');
    await last.click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/register');
    await page.getByLabel('Name', { exact: true }).fill('leaver');
    await page.getByRole('radio', { name: /password/ }).check();
    await page.getByLabel('Password', { exact: true }).fill(WORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('alert').getByText('is taken').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('husun');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('alert').getByText('please choose another').waitFor();
    await isAccessible(page);
  });
});
