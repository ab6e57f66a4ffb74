// @ts-check
// A lost or slow connection is shown; afterwards the page goes on by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, sign_in, start_service, visit, visitor } from './harness.mjs';
import { shared } from './shared.mjs';

test('a service that is away for a while', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service, {
    expected: /ERR_CONNECTION|ERR_EMPTY_RESPONSE|status of 50/,
  });
  const { page } = me;
  try {
    await call(service, 'POST', '/links', {
      name: 'Spring', slug: 'spring', variants: ['A', 'B'].map((label) => ({
        label, weight: 50, destination_url: 'https://shop.example/',
      })),
    });
    await sign_in(page, service);
    await page.getByRole('row', { name: /Spring/ }).waitFor();
    await service.stop();
    await page.getByText('No connection to the service').waitFor();
    // What was known stays on the screen.
    assert(await page.getByRole('row', { name: /Spring/ }).isVisible());
    await service.resume();
    await page.getByText('No connection to the service')
      .waitFor({ state: 'detached' });
    await visit(service, 'spring', 1);
    await page.locator('.links td[data-label=Clicks]', { hasText: /^1$/ }).waitFor();

    // An answer that does not come is told before it is given up.
    /** @type {() => void} */
    let go_on = () => {};
    const held = new Promise((done) => { go_on = () => done(undefined); });
    await page.route('**/public/links?*', async (route) => {
      await held;
      await route.continue();
    }, { times: 1 });
    await page.getByText('The service is slow to answer').waitFor();
    go_on();
    await page.getByText('The service is slow to answer')
      .waitFor({ state: 'detached' });

    // An error of the service is told in its words.
    await page.route('**/public/links?*', (route) => route.fulfill({
      status: 503, contentType: 'application/json', headers: { 'Retry-After': '1' },
      body: '{"detail": "Service temporarily unavailable. Please try again later."}',
    }), { times: 1 });
    await page.getByText('Service temporarily unavailable').waitFor();
    await page.getByText('Service temporarily unavailable')
      .waitFor({ state: 'detached' });
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
