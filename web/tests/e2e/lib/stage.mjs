// What every test file begins with: one server, set up as `startServer` takes it, and one browser, closed at the end.
import { after, before } from 'node:test';
import { openBrowser, Person } from './browser.mjs';
import { startServer } from './server.mjs';

export function stage(options) {
  const here = {
    /** A person with a browser of their own. */
    person: (options) => Person.come(here.browser, here.server.base, options),
  };
  before(async () => {
    [here.server, here.browser] = await Promise.all([startServer(options), openBrowser()]);
  });
  after(async () => {
    await here.browser?.close();
    await here.server?.stop();
  });
  return here;
}

/** Runs a visit and ends it, so that its faults are looked at even when all else went well. */
export async function visit(person, act) {
  try {
    await act(person.page, person);
  } catch (error) {
    if (person.faults.length) error.message += `\nthe browser reported: ${person.faults.join('\n')}`;
    await person.context.close();
    throw error;
  }
  await person.leave();
}
