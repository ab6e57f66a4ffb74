// @ts-check
// Numbers that move never contradict each other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, patience, shown_clicks, sign_in, start_service, visit, visitor }
  from './harness.mjs';
import { shared } from './shared.mjs';

test('a link that is being visited', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  let has_seen_enough = false;
  try {
    const link = await call(service, 'POST', '/links', {
      name: 'Spring', slug: 'spring', variants: ['A', 'B', 'C'].map((label, i) => ({
        label, weight: [50, 30, 20][i], destination_url: `https://shop.example/${i}`,
      })),
    });
    await visit(service, 'spring', 0);
    await sign_in(page, service, `/links/${link.id}`);
    await page.locator('.clicks').waitFor();
    const visiting = (async () => {
      for (let i = 1; !has_seen_enough; ++i) await visit(service, 'spring', i);
    })();
    const seen = new Set();
    for (const end = Date.now() + patience; seen.size < 4;) {
      const shown = await shown_clicks(page);
      assert.equal(new Set(Object.values(shown)).size, 1, JSON.stringify(shown));
      seen.add(shown.figure);
      assert(Date.now() < end, `the numbers did not move: ${[...seen]}`);
    }
    has_seen_enough = true;
    await visiting;
    me.check();
  } finally {
    has_seen_enough = true;
    await me.end();
    await service.end();
  }
});
