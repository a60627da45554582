// Accounts: what is asked of the server, and of the browser for passkeys.
import { ask, Refused } from '../api/http';
import type { Account, AccountMade, Codes, Me, PasskeyQuestion, TokenMade } from '../api/types';
import { agentWords } from './agent';

const enc = encodeURIComponent;

export const accounts = {
  register: (name: string, password: string) => ask<AccountMade>('POST', 'account', { name, password }),
  signIn: (name: string, password: string) => ask<Me>('POST', 'session', { name, password }),
  recover: (name: string, code: string, password: string) =>
    ask<Me>('POST', 'session/recovery', { name, code, password }),
  signOut: () => ask<Me>('DELETE', 'session'),
  own: () => ask<Account>('GET', 'account'),
  newCodes: (password: string | null) => ask<Codes>('POST', 'account/codes', { password }),
  setPassword: (password: string | null, fresh: string) =>
    ask<void>('PUT', 'account/password', { password, new: fresh }),
  endSession: (id: string) => ask<void>('DELETE', `account/sessions/${enc(id)}`),
  endOthers: () => ask<void>('DELETE', 'account/sessions'),
  makeBot: (password: string | null) => ask<void>('PUT', 'account/bot', { password }),
  newToken: (name: string) => ask<TokenMade>('POST', 'account/tokens', { name }),
  takeTokenBack: (id: string) => ask<void>('DELETE', `account/tokens/${enc(id)}`),
  removePasskey: (id: string) => ask<void>('DELETE', `account/passkeys/${enc(id)}`),
  remove: (password: string | null) => ask<Me>('DELETE', 'account', { password }),
};

/** Whether this browser and this address can have passkeys. */
export function hasPasskeys(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential === 'function' &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential
  );
}

/** Gives up in words for people what the browser says in its own. */
function given(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Refused('passkey', 'No passkey was chosen.');
  return credential.toJSON();
}

async function browser(act: () => Promise<Credential | null>): Promise<unknown> {
  try {
    return given(await act());
  } catch (error) {
    if (error instanceof Refused) throw error;
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError')
      throw new Refused('passkey', 'This device already has a passkey for your account.');
    throw new Refused('passkey', 'No passkey was chosen, or this device has none for this site.');
  }
}

async function make(wish: { name?: string }, label: string): Promise<AccountMade | undefined> {
  const question = await ask<PasskeyQuestion>('POST', 'account/passkeys/question', wish);
  const options = question.options as unknown as { publicKey: PublicKeyCredentialCreationOptionsJSON };
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey);
  const credential = await browser(() => navigator.credentials.create({ publicKey }));
  return ask('POST', 'account/passkeys', { token: question.token, credential, name: label });
}

/** Makes an account that a passkey opens. */
export async function registerWithPasskey(name: string): Promise<AccountMade> {
  const made = await make({ name }, agentWords(navigator.userAgent));
  if (!made) throw new Refused('passkey', 'That did not work.');
  return made;
}

/** Adds a passkey to one's own account. */
export async function addPasskey(): Promise<void> {
  await make({}, agentWords(navigator.userAgent));
}

/** Signs in with a passkey of this site. */
export async function signInWithPasskey(): Promise<Me> {
  const question = await ask<PasskeyQuestion>('POST', 'session/passkey/question');
  const options = question.options as unknown as { publicKey: PublicKeyCredentialRequestOptionsJSON };
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey);
  const credential = await browser(() => navigator.credentials.get({ publicKey }));
  return ask('POST', 'session/passkey', { token: question.token, credential });
}
