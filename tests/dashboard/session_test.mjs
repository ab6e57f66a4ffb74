// @ts-check
// Who is signed in, and who only pretends to be.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { call, sign_in, start_service, visitor } from './harness.mjs';
import { shared } from './shared.mjs';

/** @param {import('./harness.mjs').Service} service */
function make_link(service) {
  return call(service, 'POST', '/links', {
    name: 'Spring', slug: 'spring', variants: ['A', 'B'].map((label) => ({
      label, weight: 50, destination_url: 'https://shop.example/',
    })),
  });
}

test('a session that ends while somebody types', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service,
                           { expected: /status of 40[01]/ });
  const { page } = me;
  try {
    const link = await make_link(service);
    // A wrong password is told in words.
    await page.goto(`${service.root}/app`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Fill in the e-mail address').waitFor();
    await page.getByLabel('E-mail address').fill(service.email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('do not belong together').waitFor();
    await sign_in(page, service, `/links/${link.id}/edit`);
    await page.getByLabel('Name').fill('Summer');

    // The session is ended elsewhere.
    const cookies = await me.context.cookies();
    const header = cookies.map((x) => `${x.name}=${x.value}`).join('; ');
    const left = await fetch(`${service.root}/auth/v1/logout`, {
      method: 'POST',
      headers: { 'X-Requested-With': 'turnout', Cookie: header },
    });
    assert.equal(left.status, 204);
    await page.getByRole('button', { name: 'Save changes' }).click();
    const again = page.getByRole('dialog');
    await again.getByText('Your session has ended').waitFor();
    // The form says so too, as long as it is so.
    const told = page.locator('main').getByText('Your session has ended');
    await told.waitFor();
    await again.getByLabel('Password').fill(service.password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    await told.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Summer');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Summer' }).waitFor();
    assert.equal((await call(service, 'GET', `/links/${link.id}`)).name, 'Summer');

    // Nothing that was typed waits for the next one.
    await page.getByRole('link', { name: 'Links' }).first().click();
    await page.getByRole('link', { name: 'New link' }).click();
    await page.getByLabel('Name').fill('Secret plan');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await sign_in(page, service, '/links/new');
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});

test('a page of another site', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const link = await make_link(service);
  // It is on the same site (another port), where even a strict cookie is sent.
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>Prizes</title>
      <form method="post" enctype="text/plain"
            action="${service.root}/api/v1/public/keys?name=forged">
        <input name="x" value="y"><button>Win</button></form>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(address && typeof address === 'object');
  try {
    await sign_in(me.page, service);
    const other = await me.context.newPage();
    await other.goto(`http://127.0.0.1:${address.port}/`);
    const base = `${service.root}/api/v1/public`;
    const outcomes = await other.evaluate(async ({ base, id }) => {
      /** @type {[string, string, Record<string, string>][]} */
      const tries = [
        ['DELETE', `${base}/links/${id}`, {}],
        ['PUT', `${base}/links/${id}`, { 'Content-Type': 'text/plain' }],
        ['POST', `${base}/keys?name=forged`, {}],
        ['DELETE', `${base}/links/${id}`, { 'X-Requested-With': 'turnout' }],
        ['POST', `${base}/keys?name=forged`, { 'X-Requested-With': 'turnout' }],
      ];
      const results = [];
      for (const [method, url, headers] of tries)
        for (const mode of /** @type {const} */ (['cors', 'no-cors'])) {
          const result = await fetch(url, {
            method, headers, mode, credentials: 'include',
            ...(method === 'PUT' ? { body: '{"is_active": false}' } : {}),
          }).then((x) => x.type, () => 'failed');
          results.push(result);
        }
      return results;
    }, { base, id: link.id });
    // An opaque answer may have been sent, so what counts is what is there after.
    assert(outcomes.every((x) => x === 'failed' || x === 'opaque'), `${outcomes}`);
    await other.getByRole('button', { name: 'Win' }).click();
    await other.waitForURL(/public\/keys/);
    assert.deepEqual(await call(service, 'GET', `/links/${link.id}`),
                     Object.fromEntries(Object.entries(link)
                       .filter(([x]) => x !== 'short_url')));
    await me.page.getByRole('link', { name: 'Keys' }).click();
    await me.page.getByRole('row', { name: /svc_sk/ }).first().waitFor();
    assert.equal(await me.page.getByText('forged').count(), 0);
    // The same with what only our page sends does work, so that this test can fail.
    const own = await me.page.evaluate(async (url) => (await fetch(url, {
      method: 'POST', headers: { 'X-Requested-With': 'turnout' },
    })).status, `${base}/keys?name=own`);
    assert.equal(own, 201);
  } finally {
    // The page of another site may complain.
    await me.end();
    server.closeAllConnections();
    server.close();
    await service.end();
  }
});

/** @param {string} secret @param {object} claims */
function token(secret, claims) {
  const part = (/** @type {object} */ x) =>
    Buffer.from(JSON.stringify(x)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const mac = createHmac('sha256', secret).update(text).digest('base64url');
  return `${text}.${mac}`;
}

test('accounts of another service', async () => {
  const secret = 'a secret of at least thirty-two bytes';
  const now = Math.floor(Date.now() / 1000);
  // Like others of its kind it allows the headers that it knows, and no other.
  const provider = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'apikey, content-type');
    let body = '';
    request.on('data', (x) => { body += x; });
    request.on('end', () => {
      if (request.method === 'OPTIONS') return response.writeHead(204).end();
      const is_right = request.headers.apikey === 'anon'
        && request.url === '/auth/v1/token?grant_type=password'
        && JSON.parse(body).password === 'right';
      response.writeHead(is_right ? 200 : 400, { 'Content-Type': 'application/json' });
      return response.end(JSON.stringify(is_right ? {
        access_token: token(secret, {
          sub: '0b5f7a52-7c1e-4c0e-9f39-0c7a5a4e9f11', email: 'ann@shop.example',
          iat: now, exp: now + 3600,
        }),
      } : { error: 'invalid_grant', error_description: 'no' }));
    });
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = provider.address();
  assert(address && typeof address === 'object');
  const service = await start_service(shared.binary, {
    TURNOUT_AUTH_JWT_SECRET: secret,
    TURNOUT_AUTH_ANON_KEY: 'anon',
    TURNOUT_AUTH_SIGN_IN_URL: `http://127.0.0.1:${address.port}`,
  });
  const me = await visitor(shared.browser, service, {
    expected: /status of 400/, others: [`127.0.0.1:${address.port}`],
  });
  const { page } = me;
  try {
    await page.goto(`${service.root}/app`);
    await page.getByLabel('E-mail address').fill('ann@shop.example');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('do not belong together').waitFor();
    await page.getByLabel('Password').fill('right');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
    await page.getByText('ann@shop.example').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    me.check();
  } finally {
    await me.end();
    provider.closeAllConnections();
    provider.close();
    await service.end();
  }
});
