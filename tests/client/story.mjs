// @ts-check
// The whole story of a user, told with a client whose types come from the
// description that the service itself serves.

import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';

/** @typedef {import('turnout-api').paths} paths */
/** @typedef {import('turnout-api').components['schemas']} schemas */
/** @typedef {import('openapi-fetch').Client<paths>} client */

const browser
  = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const unknown_id = '01890000-0000-7000-8000-000000000000';

/**
 * Asks until the answer suits; it has to within the time for freshness.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {(x: T) => boolean} suits
 */
async function eventually(ask, suits) {
  for (const end = Date.now() + 30_000; ;) {
    const x = await ask();
    if (suits(x)) return x;
    assert(Date.now() < end, `still ${JSON.stringify(x)}`);
    await new Promise((done) => setTimeout(done, 200));
  }
}

/**
 * Returns the data of an answer, which has to have a status.
 * @template T
 * @param {{data?: T, error?: unknown, response: Response}} x
 * @param {number} status
 * @returns {NonNullable<T>}
 */
function data_of(x, status = 200) {
  assert.equal(x.response.status, status, JSON.stringify(x.error));
  assert(x.data);
  return x.data;
}

/**
 * Checks status and text of an error.
 * @param {{error?: {detail: string}, response: Response}} x
 * @param {number} status
 * @param {string} detail
 */
function expect_error(x, status, detail) {
  assert.equal(x.response.status, status);
  assert.deepEqual(x.error, { detail });
}

/**
 * Makes a client of one credential.
 * @param {string} base
 * @param {Record<string, string>} headers
 * @returns {client}
 */
function client_of(base, headers = {}) {
  // Not createClient<paths>: that is no JavaScript.
  return /** @type {client} */ (createClient({ baseUrl: base, headers }));
}

/** @type {schemas['VariantInput'][]} */
const two_variants = [
  { label: 'A', destination_url: 'https://shop.example/a', weight: 50 },
  { label: 'B', destination_url: 'https://shop.example/b', weight: 50 },
];

/**
 * Visits a short link as a new visitor; returns destination and click id.
 * @param {client} visitor
 * @param {string} slug
 */
async function visit(visitor, slug) {
  const { response } = await visitor.GET('/{slug}', {
    params: { path: { slug } }, redirect: 'manual',
  });
  assert.equal(response.status, 302);
  const click_id = /^svc_v_[^=]+=[0-9a-f-]{36}\.([0-9a-f-]{36})/
    .exec(response.headers.get('set-cookie') ?? '')?.[1];
  assert(click_id);
  return { to: response.headers.get('location'), click_id };
}

/** @param {{root: string, email: string, password: string}} where */
async function sign_in({ root, email, password }) {
  const anybody = client_of(root);
  const wrong = await anybody.POST('/auth/v1/token', {
    params: { query: { grant_type: 'password' } },
    body: { email, password: `${password}x` },
  });
  assert.equal(wrong.response.status, 400);
  assert.equal(wrong.error?.error, 'invalid_grant');
  const first = data_of(await anybody.POST('/auth/v1/token', {
    params: { query: { grant_type: 'password' } },
    body: { email, password },
  }));
  assert.equal(first.user.email, email);
  assert.equal(first.token_type, 'bearer');
  const next = data_of(await anybody.POST('/auth/v1/token', {
    params: { query: { grant_type: 'refresh_token' } },
    body: { refresh_token: first.refresh_token },
  }));
  return client_of(`${root}/api/v1`,
                   { Authorization: `Bearer ${next.access_token}` });
}

/**
 * @param {string} base
 * @param {client} user
 */
async function make_keys(base, user) {
  expect_error(await client_of(base).GET('/public/keys'), 401,
               'Missing or invalid session token.');
  const secret = data_of(await user.POST('/public/keys', {
    params: { query: { name: 'Backend' } },
  }), 201);
  const publishable = data_of(await user.POST('/public/keys', {
    params: { query: { name: 'Report', type: 'publishable' } },
  }), 201);
  assert(secret.key.startsWith('svc_sk_'));
  assert(publishable.key.startsWith('svc_pk_'));
  const { keys, rate_limit_per_hour } = data_of(await user.GET('/public/keys'));
  assert.equal(rate_limit_per_hour, secret.rate_limit);
  for (const made of [secret, publishable]) {
    const listed = keys.find((x) => x.id === made.id);
    assert.equal(listed?.key_prefix, made.key.slice(0, 11));
    assert.equal(listed?.last_used_at, null);
  }
  return { secret, publishable };
}

/**
 * Refusals of each kind, as the types describe them.
 * @param {string} base
 * @param {client} writer
 * @param {client} reader
 */
async function errors(base, writer, reader) {
  expect_error(await client_of(base).GET('/public/links'), 401,
               'Missing API key. Include X-API-Key header.');
  expect_error(
    await client_of(base, { 'X-API-Key': 'svc_sk_x' }).GET('/public/links'),
    401, 'Invalid API key.');
  const body = { name: 'Spring', variants: two_variants };
  expect_error(await reader.POST('/public/links', { body }), 403,
               'This operation requires a secret API key.');
  expect_error(await writer.POST('/public/links', {
    body: { name: 'x', variants: two_variants.map((x) => ({ ...x, weight: 45 })) },
  }), 422, 'Variant weights must sum to 100, got 90');
  // What the types forbid, the service refuses too.
  expect_error(await writer.POST('/public/links', {
    // @ts-expect-error: variants are required
    body: { name: 'x' },
  }), 422, 'field required: variants');
  expect_error(await writer.GET('/public/links/{id}', {
    params: { path: { id: unknown_id } },
  }), 404, 'Link not found');
  const malformed = await writer.GET('/public/links/{id}', {
    params: { path: { id: 'x' } },
  });
  assert.equal(malformed.response.status, 400);
  const beyond = await reader.GET('/public/links', {
    params: { query: { per_page: 101 } },
  });
  assert.equal(beyond.response.status, 422);
}

/** @param {client} writer */
async function make_link(writer) {
  const create = () => writer.POST('/public/links', {
    params: { header: { 'Idempotency-Key': 'spring-1' } },
    body: {
      name: 'Spring sale', slug: 'spring', variants: two_variants,
      auto_winner: true, auto_winner_threshold: 10,
    },
  });
  const link = data_of(await create(), 201);
  assert(link.short_url.endsWith('/spring'));
  assert.deepEqual(data_of(await create(), 201), link);
  expect_error(await writer.POST('/public/links', {
    body: { name: 'x', slug: 'spring', variants: two_variants },
  }), 409, "Slug 'spring' is already taken");
  const { short_url, ...shown } = link;
  const id = { params: { path: { id: link.id } } };
  assert.deepEqual(data_of(await writer.GET('/public/links/{id}', id)), shown);
  // The whole answer may be sent back, with a change.
  const changed = data_of(await writer.PUT('/public/links/{id}', {
    ...id, body: { ...shown, name: 'Spring sale 2' },
  }));
  assert.equal(changed.name, 'Spring sale 2');
  assert.equal(changed.slug, 'spring');
  return link;
}

/**
 * @param {client} writer
 * @param {client} reader
 */
async function paging(writer, reader) {
  const before = data_of(await reader.GET('/public/links')).total;
  const made = [];
  for (let i = 0; i < 5; ++i)
    made.unshift(data_of(await writer.POST('/public/links', {
      body: { name: `Page ${i}`, variants: two_variants },
    }), 201).id);
  const listed = [];
  for (let page = 1; ; ++page) {
    const { items, total } = data_of(await reader.GET('/public/links', {
      params: { query: { page, per_page: 2 } },
    }));
    assert.equal(total, before + 5);
    listed.push(...items.map((x) => x.id));
    if (items.length < 2) break;
  }
  assert.equal(new Set(listed).size, before + 5);
  assert.deepEqual(listed.slice(0, 5), made);
  // No generated slug has a space in it.
  const found = data_of(await reader.GET('/public/links', {
    params: { query: { search: 'PAGE ', sort: 'oldest', per_page: 2 } },
  }));
  assert.equal(found.total, 5);
  assert.deepEqual(found.items.map((x) => x.name), ['Page 0', 'Page 1']);
}

/**
 * Visits until each variant has enough clicks, converts all of B.
 * @param {client} visitor
 * @param {client} writer
 * @param {schemas['CreatedLink']} link
 */
async function traffic(visitor, writer, link) {
  const clicks = { A: /** @type {string[]} */ ([]),
                   B: /** @type {string[]} */ ([]) };
  while (clicks.A.length < 20 || clicks.B.length < 20) {
    const { to, click_id } = await visit(visitor, link.slug);
    clicks[to === 'https://shop.example/b' ? 'B' : 'A'].push(click_id);
    assert(clicks.A.length + clicks.B.length < 1000, 'the draw is not fair');
  }
  const [first, ...others] = clicks.B;
  const body = { click_id: first, event_id: 'order-1', value: '49.90',
                 currency: 'EUR' };
  const made = data_of(await writer.POST('/public/conversions', { body }), 201);
  assert.equal(made.click_id, first);
  assert.equal(made.value, '49.90');
  assert.deepEqual(
    data_of(await writer.POST('/public/conversions', { body }), 200), made);
  for (const click_id of others)
    data_of(await writer.POST('/public/conversions', { body: { click_id } }),
            201);
  expect_error(await writer.POST('/public/conversions', {
    body: { click_id: unknown_id },
  }), 404, 'Click not found');
  // The page that a buyer reaches shows the pixel; that click converted.
  const pixel = await visitor.GET('/c/{link_id}.gif', {
    params: { path: { link_id: link.id }, query: { click_id: first } },
    parseAs: 'arrayBuffer',
  });
  assert.equal(data_of(pixel).byteLength, 43);
  return { A: clicks.A.length, B: clicks.B.length };
}

/**
 * @param {client} reader
 * @param {schemas['CreatedLink']} link
 * @param {{A: number, B: number}} clicks
 */
async function reports(reader, link, clicks) {
  const path = { id: link.id };
  const all = clicks.A + clicks.B;
  const report = await eventually(
    async () => data_of(await reader.GET('/public/links/{id}/analytics',
                                         { params: { path } })),
    (x) => x.total_clicks === all && x.total_conversions === clicks.B);
  assert.equal(report.conversion_rate, clicks.B / all);
  assert.deepEqual(
    report.variant_performance.map((x) => [x.label, x.clicks, x.conversions]),
    [['A', clicks.A, 0], ['B', clicks.B, clicks.B]]);
  assert.equal(report.daily_stats.reduce((sum, x) => sum + x.clicks, 0), all);
  assert.equal(report.conversion_events.length, Math.min(clicks.B, 100));
  const summary = data_of(await reader.GET('/public/links')).items
    .find((x) => x.id === link.id);
  assert.equal(summary?.total_clicks, all);
  assert.equal(summary?.top_variant, 'B');
  const ids = new Set();
  for (let page = 1; ; ++page) {
    const x = data_of(await reader.GET('/public/links/{id}/clicks', {
      params: { path, query: { page, per_page: 15 } },
    }));
    assert.equal(x.total, all);
    for (const item of x.items) ids.add(item.id);
    if (x.items.length < 15) break;
  }
  assert.equal(ids.size, all);
  const csv = data_of(await reader.GET('/public/links/{id}/clicks.csv',
                                       { params: { path }, parseAs: 'text' }));
  const lines = csv.trimEnd().split(/\r?\n/);
  assert.equal(lines.length, all + 1);
  assert(lines[0]?.startsWith('id,link_id,variant_id,'));
}

/**
 * @param {client} visitor
 * @param {client} writer
 * @param {client} reader
 * @param {schemas['CreatedLink']} link
 * @param {{A: number, B: number}} clicks
 */
async function winner(visitor, writer, reader, link, clicks) {
  const path = { id: link.id };
  const x = await eventually(
    async () => data_of(await reader.GET('/public/links/{id}/analytics/winner',
                                         { params: { path } })),
    (x) => x.recommendation !== null && x.total_conversions === clicks.B);
  assert.equal(x.status, 'recommended');
  assert.equal(x.recommended_variant, 'B');
  assert.equal(x.total_clicks, clicks.A + clicks.B);
  assert.equal(x.recommendation?.label, 'B');
  assert(x.recommended_variant_id);
  // It is a recommendation only.
  const before = data_of(await reader.GET('/public/links/{id}',
                                          { params: { path } }));
  assert.deepEqual(before.variants.map((y) => y.weight), [50, 50]);
  expect_error(await writer.POST('/public/links/{id}/promote-winner', {
    params: { path }, body: { variant_id: unknown_id },
  }), 404, 'Variant not found');
  const promote = () => writer.POST('/public/links/{id}/promote-winner', {
    params: { path }, body: { variant_id: x.recommended_variant_id ?? '' },
  });
  const promoted = data_of(await promote());
  assert.deepEqual(
    promoted.variants.map((y) => [y.label, y.weight, y.is_winner]),
    [['A', 0, false], ['B', 100, true]]);
  assert.deepEqual(data_of(await promote()), promoted);
  for (let i = 0; i < 20; ++i)
    assert.equal((await visit(visitor, link.slug)).to,
                 'https://shop.example/b');
  const supersede = data_of(await writer.PUT('/public/links/{id}/variants', {
    params: { path }, body: two_variants,
  }));
  assert(supersede.variants.every((y) => !y.is_winner));
}

/**
 * @param {string} root
 * @param {client} visitor
 * @param {client} writer
 * @param {schemas['CreatedLink']} link
 */
async function thanks_page(root, visitor, writer, link) {
  const ask = () => visitor.GET('/c/{link_id}', {
    params: { path: { link_id: link.id } }, redirect: 'manual',
  });
  assert.equal((await ask()).response.status, 404);
  const url = 'https://shop.example/thanks';
  data_of(await writer.PUT('/public/links/{id}', {
    params: { path: { id: link.id } }, body: { conversion_redirect_url: url },
  }));
  const { response } = await ask();
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), url);
  const script = data_of(await visitor.GET('/c.js', { parseAs: 'text' }));
  assert(script.includes('svc'));
}

/**
 * @param {client} visitor
 * @param {client} writer
 * @param {schemas['CreatedLink']} link
 */
async function pause_and_delete(visitor, writer, link) {
  const one = { params: { path: { id: link.id } } };
  const look = () => visitor.HEAD('/{slug}', {
    params: { path: { slug: link.slug } }, redirect: 'manual',
  });
  assert.equal((await look()).response.status, 302);
  data_of(await writer.PUT('/public/links/{id}',
                           { ...one, body: { is_active: false } }));
  assert.equal((await look()).response.status, 404);
  const gone = await writer.DELETE('/public/links/{id}', one);
  assert.equal(gone.response.status, 204);
  for (const x of [await writer.GET('/public/links/{id}', one),
                   await writer.DELETE('/public/links/{id}', one)])
    expect_error(x, 404, 'Link not found');
}

/**
 * @param {client} user
 * @param {client} writer
 * @param {string} key_id
 */
async function revoke(user, writer, key_id) {
  const used = data_of(await user.GET('/public/keys')).keys;
  assert(used.some((x) => x.id === key_id));
  for (;;) {
    const now = data_of(await user.GET('/public/keys/rate-limit'));
    const { headers } = (await writer.GET('/public/links')).response;
    // An hour may end in between.
    if (Number(headers.get('x-ratelimit-reset')) * 1000
        !== Date.parse(now.reset_at))
      continue;
    assert.equal(headers.get('x-ratelimit-limit'), String(now.limit));
    assert.equal(headers.get('x-ratelimit-remaining'),
                 String(now.remaining - 1));
    break;
  }
  const one = { params: { path: { key_id } } };
  const gone = await user.DELETE('/public/keys/{key_id}', one);
  assert.equal(gone.response.status, 204);
  expect_error(await writer.GET('/public/links'), 401, 'Invalid API key.');
  expect_error(await user.DELETE('/public/keys/{key_id}', one), 404,
               'API key not found');
  const left = data_of(await user.GET('/public/keys')).keys;
  assert(!left.some((x) => x.id === key_id));
}

/**
 * The description and the page that shows it.
 * @param {string} root
 */
async function description(root) {
  const anybody = client_of(`${root}/api/v1`);
  const x = await anybody.GET('/openapi.json');
  const doc = data_of(x);
  assert.deepEqual(doc.servers.map((y) => /** @type {any} */ (y).url),
                   [`${root}/api/v1`]);
  const etag = x.response.headers.get('etag') ?? '';
  const again = await anybody.GET('/openapi.json', {
    params: { header: { 'If-None-Match': etag } },
  });
  assert.equal(again.response.status, 304);
  const page = await fetch(`${root}/docs`);
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)]
    .map((y) => y[1]);
  assert.equal(files.length, 4);
  for (const file of files) {
    // fetch unpacks what was compressed.
    const plain = await (await fetch(`${root}${file}`, {
      headers: { 'Accept-Encoding': 'identity' },
    })).text();
    const packed = await fetch(`${root}${file}`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(await packed.text(), plain);
  }
}

/**
 * Tells the story against a fresh service.
 * @param {{root: string, email: string, password: string}} where
 */
export async function story(where) {
  const { root } = where;
  const base = `${root}/api/v1`;
  const visitor = client_of(root, { 'User-Agent': browser });
  const step = (/** @type {string} */ name) => console.log(`story: ${name}`);
  step('description');
  await description(root);
  step('sign-in');
  const user = await sign_in(where);
  step('keys');
  const { secret, publishable } = await make_keys(base, user);
  const writer = client_of(base, { 'X-API-Key': secret.key });
  const reader = client_of(base, { 'X-API-Key': publishable.key });
  step('errors');
  await errors(base, writer, reader);
  step('link');
  const link = await make_link(writer);
  step('paging');
  await paging(writer, reader);
  step('visits and conversions');
  const clicks = await traffic(visitor, writer, link);
  step('reports');
  await reports(reader, link, clicks);
  step('winner and promotion');
  await winner(visitor, writer, reader, link, clicks);
  step('thanks page');
  await thanks_page(root, visitor, writer, link);
  step('pause and delete');
  await pause_and_delete(visitor, writer, link);
  step('revocation');
  await revoke(user, writer, secret.id);
  step('done');
}
