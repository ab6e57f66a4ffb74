// Where the service is, as it told in index.html.

function meta(name: string): string {
  const selector = `meta[name="turnout-${name}"]`;
  return document.querySelector<HTMLMetaElement>(selector)?.content ?? '';
}

function absolute(address: string): string {
  return new URL(address || '/', location.origin).href.replace(/\/$/, '');
}

/** The base address of the API, without a slash at its end. */
export const api_base = absolute(meta('api'));

/** Where short links are, without a slash at its end. */
export const short_base = absolute(meta('short'));

/** Where to sign in, without a slash at its end. */
export const auth_base = absolute(meta('auth'));

/** What the sign-in asks for, if it asks for something. */
export const anon_key = meta('anon-key');

/** Whether accounts are those of the service itself. */
export const is_built_in_identity = meta('auth') === '/';

/** Whether it is known where to sign in. */
export const has_sign_in = meta('auth') !== '';

export function short_url(slug: string): string {
  return `${short_base}/${slug}`;
}

/** The same without the scheme, for people. */
export function shown_url(url: string): string {
  return url.replace(/^https?:\/\//i, '');
}
