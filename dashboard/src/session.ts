import { useEffect, useState } from 'preact/hooks';
import { anon_key, auth_base, is_built_in_identity } from './addresses';
import { watched } from './connection';
import { forget_drafts } from './draft';
import { Failure, failure_of, failure_of_answer } from './failure';
import { Store } from './store';

export interface User {
  id: string;
  /** Null when the identity provider did not tell it. */
  email: string | null;
}

/** Who is signed in: null is nobody, undefined is not known yet. */
export const session = new Store<User | null | undefined>(undefined);

/** Whether the session ran out while somebody was at work. */
export const has_expired = new Store(false);

// The session cookie counts only with this header, which no form of another site
// can send.
export const session_headers = { 'X-Requested-With': 'turnout' };

const timeout = 30_000;

async function ask(method: string, address: string, body?: unknown,
                   headers: Record<string, string> = {}): Promise<Response> {
  try {
    return await watched(fetch(address, {
      method,
      headers: {
        ...(address.startsWith('/') ? session_headers : {}), ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout),
    }));
  } catch (e) {
    throw failure_of(e);
  }
}

async function read_user(): Promise<User | null> {
  const answer = await ask('GET', '/auth/v1/user');
  if (answer.status === 401) return null;
  if (!answer.ok)
    throw failure_of_answer(answer, await answer.json().catch(() => undefined));
  const { id, email } = await answer.json();
  return { id, email };
}

/** Notes that the session ran out while somebody was at work. */
export function note_expiry(): void {
  if (session.value) has_expired.set(true);
}

/** A message of what failed; it goes away when somebody has signed in again. */
export function use_trouble(): [string, (text: string) => void] {
  const [text, set_text] = useState('');
  useEffect(() => has_expired.watch((x) => { if (!x) set_text(''); }), []);
  return [text, set_text];
}

// The cookie itself cannot be seen from here. With this note, who never signed in
// is not asked for first.
const note = 'turnout-signed-in';

function set_note(is_signed_in: boolean): void {
  try {
    if (is_signed_in) localStorage.setItem(note, 'yes');
    else localStorage.removeItem(note);
  } catch {
    // Without storage there is one sign-in more.
  }
}

function has_note(): boolean {
  try {
    return localStorage.getItem(note) !== null;
  } catch {
    return false;
  }
}

/** Finds out who is signed in; throws a Failure. */
export async function restore_session(): Promise<void> {
  const user = has_note() ? await read_user() : null;
  if (!user) set_note(false);
  session.set(user);
}

/** Signs in; throws a Failure. */
export async function sign_in(email: string, password: string): Promise<void> {
  // Somebody else's service may allow no headers but those it knows.
  const where = is_built_in_identity ? '' : auth_base;
  const cookie = is_built_in_identity ? '&cookie=true' : '';
  const answer = await ask(
    'POST', `${where}/auth/v1/token?grant_type=password${cookie}`,
    { email, password }, { apikey: anon_key || 'dashboard' });
  const body = await answer.json().catch(() => undefined);
  if (!answer.ok) {
    const told = failure_of_answer(answer, body);
    throw answer.status === 400
      ? new Failure(400, 'This e-mail address and password do not belong '
                         + 'together.')
      : told;
  }
  if (!is_built_in_identity) {
    const exchanged = await ask(
      'POST', '/auth/v1/session', undefined,
      { Authorization: `Bearer ${body.access_token}` });
    if (!exchanged.ok)
      throw failure_of_answer(exchanged,
                              await exchanged.json().catch(() => undefined));
  }
  const user = await read_user();
  if (!user) throw new Failure(0, 'The browser does not keep the cookie of this '
                                  + 'page, so nobody can be signed in.');
  if (session.value && session.value.id !== user.id) forget_drafts();
  set_note(true);
  session.set(user);
  has_expired.set(false);
}

/** Signs out; throws a Failure. */
export async function sign_out(): Promise<void> {
  const answer = await ask('POST', '/auth/v1/logout');
  if (!answer.ok && answer.status !== 401)
    throw failure_of_answer(answer, await answer.json().catch(() => undefined));
  forget_drafts();
  set_note(false);
  session.set(null);
  has_expired.set(false);
}
