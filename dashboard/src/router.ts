import { Store } from './store';

// The address of the page says what it shows, so that it can be reloaded, kept
// as a bookmark and left by the browser's back button.

const base = '/app';

export interface Place {
  /** The path below /app, without a slash at its end: '' or '/links/…'. */
  path: string;
  query: URLSearchParams;
}

function here(): Place {
  const path = location.pathname.startsWith(base)
    ? location.pathname.slice(base.length).replace(/\/+$/, '') : '';
  return { path, query: new URLSearchParams(location.search) };
}

export const place = new Store<Place>(here());

addEventListener('popstate', () => place.set(here()));

let has_arrived = false;

export function address_of(path: string): string {
  return `${base}${path}`;
}

/** Goes to another page. */
export function go(path: string, { replace = false } = {}): void {
  const address = address_of(path);
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  const from = place.value.path;
  place.set(here());
  if (place.value.path === from) return;
  scrollTo(0, 0);
  has_arrived = true;
}

/** Whether somebody has just come to this page; says so only once. */
export function take_arrival(): boolean {
  const result = has_arrived;
  has_arrived = false;
  return result;
}

/** Changes the query of this page, without a step for the back button. */
export function change_query(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value);
    else query.delete(name);
  const text = query.toString();
  go(`${place.value.path}${text ? `?${text}` : ''}`, { replace: true });
}

/** For links within the page: follows without loading it anew. */
export function follow(e: MouseEvent): void {
  if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey
      || e.shiftKey || e.altKey)
    return;
  const href = (e.currentTarget as HTMLAnchorElement).getAttribute('href') ?? '';
  if (!href.startsWith(base)) return;
  e.preventDefault();
  go(href.slice(base.length));
}
