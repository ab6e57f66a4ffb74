import { auth_base, is_built_in_identity } from './addresses';
import { watched } from './connection';
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
        ...session_headers, ...headers,
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

/** Asks for a new session; only one tab does at a time. */
async function renew(): Promise<User | null> {
  const once = async () => {
    // Another tab may have done it while this one waited.
    const user = await read_user();
    if (user) return user;
    const answer
      = await ask('POST',
                  '/auth/v1/token?grant_type=refresh_token&cookie=true');
    return answer.ok ? read_user() : null;
  };
  return navigator.locks ? navigator.locks.request('turnout-session', once)
                         : once();
}

let running: Promise<boolean> | undefined;

/** Renews the session that ran out; returns whether there is one now. */
export function renew_session(): Promise<boolean> {
  running ??= renew()
    .then((user) => {
      if (user) return true;
      if (session.value) has_expired.set(true);
      return false;
    }, () => false)
    .finally(() => { running = undefined; });
  return running;
}

/** Finds out who is signed in; throws a Failure. */
export async function restore_session(): Promise<void> {
  session.set(await read_user() ?? await renew());
}

/** Signs in; throws a Failure. */
export async function sign_in(email: string, password: string): Promise<void> {
  const cookie = is_built_in_identity ? '&cookie=true' : '';
  const answer = await ask(
    'POST', `${auth_base}/auth/v1/token?grant_type=password${cookie}`,
    { email, password }, { apikey: 'dashboard' });
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
  session.set(user);
  has_expired.set(false);
}

/** Signs out; throws a Failure. */
export async function sign_out(): Promise<void> {
  const answer = await ask('POST', '/auth/v1/logout');
  if (!answer.ok && answer.status !== 401)
    throw failure_of_answer(answer, await answer.json().catch(() => undefined));
  session.set(null);
  has_expired.set(false);
}
