import createClient from 'openapi-fetch';
import type { components, operations, paths } from 'turnout-api';
import { api_base } from './addresses';
import { watched } from './connection';
import { failure_of, failure_of_answer, is_called_off } from './failure';
import { note_expiry, session_headers } from './session';

export type Schemas = components['schemas'];
export type Link = Schemas['Link'];
export type LinkSummary = Schemas['LinkSummary'];
export type Analytics = Schemas['Analytics'];
export type Winner = Schemas['Winner'];
export type ClickList = Schemas['ClickList'];
export type VariantInput = Schemas['VariantInput'];
export type Key = Schemas['Key'];
type ListQuery = NonNullable<operations['listLinks']['parameters']['query']>;
/** In which order links are listed. */
export type LinkSort = NonNullable<ListQuery['sort']>;

const timeout = 30_000;

async function send(request: Request): Promise<Response> {
  const limit = AbortSignal.timeout(timeout);
  // Browsers that are some years old wait as long as they like.
  const signal = 'any' in AbortSignal ? AbortSignal.any([request.signal, limit])
                                      : request.signal;
  const answer = await watched(fetch(request, { signal }));
  if (answer.status === 401) note_expiry();
  return answer;
}

const client = createClient<paths>({
  baseUrl: api_base,
  headers: session_headers,
  credentials: 'same-origin',
  fetch: send,
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns what was asked for, or throws a Failure. */
async function data_of<T>(answer: Promise<Answer<T>>): Promise<T> {
  let x: Answer<T>;
  try {
    x = await answer;
  } catch (e) {
    throw is_called_off(e) ? e : failure_of(e);
  }
  if (!x.response.ok) throw failure_of_answer(x.response, x.error);
  return x.data as T;
}

const of_link = (id: string) => ({ path: { id } });

/** The operations of the API that the dashboard uses. */
export const api = {
  links: (query: ListQuery, signal?: AbortSignal) =>
    data_of(client.GET('/public/links', {
      params: { query }, signal: signal ?? null,
    })),

  link: (id: string, signal?: AbortSignal) =>
    data_of(client.GET('/public/links/{id}', {
      params: of_link(id), signal: signal ?? null,
    })),

  create_link: (body: Schemas['LinkCreate'], idempotency_key: string) =>
    data_of(client.POST('/public/links', {
      params: { header: { 'Idempotency-Key': idempotency_key } }, body,
    })),

  update_link: (id: string, body: Schemas['LinkUpdate']) =>
    data_of(client.PUT('/public/links/{id}', { params: of_link(id), body })),

  put_variants: (id: string, body: VariantInput[]) =>
    data_of(client.PUT('/public/links/{id}/variants', {
      params: of_link(id), body,
    })),

  delete_link: (id: string, keepalive = false) =>
    data_of(client.DELETE('/public/links/{id}', {
      params: of_link(id), keepalive,
    })),

  promote: (id: string, variant_id: string) =>
    data_of(client.POST('/public/links/{id}/promote-winner', {
      params: of_link(id), body: { variant_id },
    })),

  analytics: (id: string, query: { from_date?: string; to_date?: string },
              signal?: AbortSignal) =>
    data_of(client.GET('/public/links/{id}/analytics', {
      params: { ...of_link(id), query }, signal: signal ?? null,
    })),

  winner: (id: string, signal?: AbortSignal) =>
    data_of(client.GET('/public/links/{id}/analytics/winner', {
      params: of_link(id), signal: signal ?? null,
    })),

  clicks: (id: string,
           query: { page: number; per_page: number; start_date?: string;
                    end_date?: string },
           signal?: AbortSignal) =>
    data_of(client.GET('/public/links/{id}/clicks', {
      params: { ...of_link(id), query }, signal: signal ?? null,
    })),

  clicks_csv: (id: string, query: { start_date?: string; end_date?: string }) =>
    data_of(client.GET('/public/links/{id}/clicks.csv', {
      params: { ...of_link(id), query }, parseAs: 'blob',
    })) as Promise<unknown> as Promise<Blob>,

  qr_code: (id: string, format: 'svg' | 'png', size: number) =>
    data_of(client.GET('/public/links/{id}/qr', {
      params: { ...of_link(id), query: { format, size } }, parseAs: 'blob',
    })) as Promise<unknown> as Promise<Blob>,

  slug: (slug: string, signal: AbortSignal) =>
    data_of(client.GET('/public/slugs/{slug}', {
      params: { path: { slug } }, signal,
    })),

  keys: (signal?: AbortSignal) =>
    data_of(client.GET('/public/keys', { signal: signal ?? null })),

  rate_limit: (signal?: AbortSignal) =>
    data_of(client.GET('/public/keys/rate-limit', { signal: signal ?? null })),

  create_key: (name: string, type: 'secret' | 'publishable') =>
    data_of(client.POST('/public/keys', { params: { query: { name, type } } })),

  revoke_key: (key_id: string) =>
    data_of(client.DELETE('/public/keys/{key_id}', {
      params: { path: { key_id } },
    })),
};
