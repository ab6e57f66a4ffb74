// @ts-check
// What the page is made of: small, and under a policy that forbids the rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { start_service } from './harness.mjs';
import { shared } from './shared.mjs';

const most = 200 * 1024;

test('files and policy', async () => {
  const service = await start_service(shared.binary);
  try {
    const page = await fetch(`${service.root}/app/links/whatever`);
    assert.equal(page.status, 200);
    const policy = new Map((page.headers.get('content-security-policy') ?? '')
      .split(';').map((x) => x.trim().split(/\s+/))
      .map(([name = '', ...values]) => [name, values]));
    assert.deepEqual(policy.get('default-src'), ["'none'"]);
    for (const [name, values] of policy)
      for (const value of values)
        assert(["'none'", "'self'"].includes(value)
               || (name === 'img-src' && value === 'data:'), `${name} ${value}`);
    const html = await page.text();
    assert(!/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/i.test(html));
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((x) => x[1] ?? '');
    assert(files.every((x) => x.startsWith('/assets/')), `${files}`);
    assert(files.some((x) => x.endsWith('.js')));
    let total = gzipSync(html).length;
    for (const file of files) {
      const answer = await fetch(`${service.root}${file}`);
      assert.equal(answer.status, 200, file);
      const content = await answer.text();
      assert(!/url\(\s*["']?(?:https?:)?\/\//.test(content), file);
      total += gzipSync(content).length;
    }
    assert(total <= most, `the dashboard takes ${total} bytes`);
  } finally {
    await service.end();
  }
});
