// People with accounts.

/** Makes an account with a password, as one who comes to the page does. */
export async function register(page, name) {
  await page.goto('/register');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('radio', { name: /password/ }).check();
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByLabel('I have kept them').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForURL('**/mine');
}
