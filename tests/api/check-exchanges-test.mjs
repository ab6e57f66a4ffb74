// Checks that check-exchanges.mjs complains of what it should:
//   node tests/api/check-exchanges-test.mjs <check-exchanges.mjs> <openapi.yaml>

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync }
  from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [script, description] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'turnout-check-'));
// The script reads what its parent recorded: that is this process.
const own = join(root, String(process.pid));

function check(...exchanges) {
  if (exchanges.length) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, '1.jsonl'),
                  exchanges.map((x) => JSON.stringify(x) + '\n').join(''));
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath, [script, description, root], { encoding: 'utf8' });
  assert(!existsSync(own), 'what was read is removed');
  return { status, text: stdout + stderr };
}

const api_headers = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', 'X-RateLimit-Limit'],
  ['x-ratelimit-limit', '1000'],
  ['x-ratelimit-remaining', '999'],
  ['x-ratelimit-reset', '1795820400'],
  ['content-type', 'application/json'],
];

/** A list of links as it should be, with changes. */
function list(changes = {}) {
  const body = JSON.stringify({ items: [], total: 0 });
  const x = {
    test: 't', method: 'GET', path: '/api/v1/public/links?page=1', status: 200,
    headers: api_headers, request_body: '', body, ...changes,
  };
  return { body_size: x.body.length, ...x };
}

function create(body, changes = {}) {
  return list({
    method: 'POST', path: '/api/v1/public/conversions', status: 201,
    request_body: JSON.stringify(body),
    body: JSON.stringify({
      id: '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
      link_id: '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c',
      variant_id: null, click_id: null, event_id: null, value: null,
      currency: null, created_at: '2026-11-27T21:58:57.123Z',
    }),
    ...changes,
  });
}

const without = (name) => api_headers.filter((x) => x[0] !== name);
const id = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

try {
  const good = check(
    list(), list({ path: '/api/v1/public/links?page?x=1&per_page=20' }),
    list({ path: '/api/v1/public/links??page=x&search=a&sort=name' }), create({ link_id: id }),
    list({ status: 404, path: '/api/v1/nothing', body: '{"detail":"Not found"}' }));
  assert.equal(good.status, 0, good.text);
  assert.match(good.text, /^5 exchanges of 1 tests checked/);
  assert.equal(check().status, 1, 'nothing was recorded');

  const bad = [
    ['an undescribed field', list({ body: '{"items":[],"total":0,"x":1}' })],
    ['a missing field', list({ body: '{"items":[]}' })],
    ['a wrong type', list({ body: '{"items":[],"total":"0"}' })],
    ['an undescribed status', list({ status: 418 })],
    ['an undescribed status of a known one', list({ status: 409 })],
    ['an undescribed path', list({ path: '/api/v1/public/x' })],
    ['an unknown path with another text',
     list({ path: '/api/v1/x', status: 404, body: '{"detail":"No"}' })],
    ['an undescribed method', list({ method: 'PATCH' })],
    ['methods that Allow leaves out', list({
      method: 'DELETE', status: 405, body: '{"detail":"x"}',
      headers: [...api_headers, ['allow', 'GET']],
    })],
    ['a missing header', list({ headers: without('x-ratelimit-limit') })],
    ['a header of the wrong type', list({
      headers: [...without('x-ratelimit-limit'), ['x-ratelimit-limit', 'many']],
    })],
    ['a header that comes twice', list({
      headers: [...api_headers, ['x-ratelimit-limit', '1000']],
    })],
    ['another Content-Type', list({
      headers: [...without('content-type'), ['content-type', 'text/html']],
    })],
    ['an error with another field',
     list({ status: 422, body: '{"detail":"x","code":1}' })],
    ['an accepted query that is not described',
     list({ path: '/api/v1/public/links?per_page=101' })],
    ['an accepted order that is not described',
     list({ path: '/api/v1/public/links?sort=random' })],
    ['an accepted body that is not described', create({ link_id: 'x' })],
    ['an accepted body without what is required', create({ value: 1 })],
    ['a redirect without Location', list({
      path: '/spring', status: 302, headers: [['cache-control', 'no-store']],
      body: '',
    })],
  ];
  const wrong = bad.map(([name, x]) => ({ ...x, test: `<${name}>` }));
  const { status, text } = check(list(), ...wrong, list());
  assert.equal(status, 1);
  for (const [name] of bad)
    assert(text.includes(`(<${name}>)`), `${name} is not found:\n${text}`);
  assert.match(text, new RegExp(`^${bad.length} mismatches$`, 'm'));
  console.log(`${bad.length} mismatches found`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
