import { Store } from './store';

// What the page knows of the way to the service.

export type Connection = 'ok' | 'slow' | 'lost';

export const connection = new Store<Connection>('ok');

/** When the service answered last, in milliseconds since 1970. */
export const last_answer = new Store<number>(0);

/** After so many milliseconds without an answer the page says so. */
const slow_after = 4000;

let slow = 0;
let is_lost = false;

function tell(): void {
  connection.set(is_lost ? 'lost' : slow > 0 ? 'slow' : 'ok');
}

/** Watches one request; rejects as it does. */
export async function watched<T>(request: Promise<T>): Promise<T> {
  let is_slow = false;
  const timer = setTimeout(() => {
    is_slow = true;
    ++slow;
    tell();
  }, slow_after);
  try {
    const result = await request;
    is_lost = false;
    last_answer.set(Date.now());
    return result;
  } catch (e) {
    // Nobody waits for what was called off.
    if (!(e instanceof DOMException && e.name === 'AbortError')) is_lost = true;
    throw e;
  } finally {
    clearTimeout(timer);
    if (is_slow) --slow;
    tell();
  }
}

for (const name of ['offline', 'online'])
  addEventListener(name, () => {
    is_lost = name === 'offline';
    tell();
  });
