// @ts-check
// The list of links: search, order, pages, and nothing that looks broken.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, pixels, sign_in, start_service, visit, visitor }
  from './harness.mjs';
import { shared } from './shared.mjs';

test('the list of links', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  const search = page.getByLabel('Search links');
  const order = page.getByLabel('Order');
  /** Waits until the list shows these names, and returns when it does. */
  const shows = (/** @type {string[]} */ ...names) => page.waitForFunction(
    (wanted) => JSON.stringify([...document.querySelectorAll('.links .name')]
      .map((x) => x.textContent)) === wanted,
    JSON.stringify(names));
  try {
    const make = (/** @type {string} */ name, /** @type {string} */ slug) =>
      call(service, 'POST', '/links', {
        name, slug, variants: ['A', 'B'].map((label) => ({
          label, weight: 50, destination_url: 'https://shop.example/',
        })),
      });
    await make('Sale 10', 'Ten-10');
    await make('sale 9', 'nine');
    await make('100% off', 'percent');
    await sign_in(page, service);
    await shows('100% off', 'sale 9', 'Sale 10');

    // A whole address, as somebody pastes it, with all that comes along.
    for (const pasted of [`${service.root}/Ten-10`, `${service.root}/Ten-10?utm=1#top`,
                          `${service.root.replace('http://', 'HTTP://')}/Ten-10/`,
                          `${service.root.replace('http://', '')}/ten-10`]) {
      await search.fill(pasted);
      await shows('Sale 10');
      await page.getByText('1 link found').waitFor();
      await search.fill('');
      await shows('100% off', 'sale 9', 'Sale 10');
    }
    // The link itself comes before a newer one that has its name.
    const twin = await make('About Ten-10', 'twin');
    await search.fill(`${service.root}/Ten-10`);
    await shows('Sale 10', 'About Ten-10');
    await call(service, 'DELETE', `/links/${twin.id}`);
    await shows('Sale 10');
    await search.fill('');
    // Parts of names, whatever the case; nothing has a meaning of its own.
    await search.fill('SALE');
    await shows('sale 9', 'Sale 10');
    await search.fill('%');
    await shows('100% off');
    await search.fill('_');
    await page.getByText('No link’s name or address has “_”').waitFor();
    // What is longer than any name finds nothing, and is no error.
    await search.fill('x'.repeat(300));
    await page.getByText(/^No link’s name or address has “x{300}”/).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.getByRole('button', { name: 'Show all links' }).click();
    await shows('100% off', 'sale 9', 'Sale 10');
    assert.equal(await search.inputValue(), '');

    // Every order that is offered; digits of names are numbers.
    await order.selectOption('By name');
    await shows('100% off', 'sale 9', 'Sale 10');
    await page.waitForURL(/sort=name/);
    await order.selectOption('Oldest first');
    await shows('Sale 10', 'sale 9', '100% off');
    for (const who of [1, 2]) await visit(service, 'Ten-10', who);
    await visit(service, 'nine', 3);
    const nine = await call(service, 'GET', '/links?search=nine');
    await call(service, 'POST', '/conversions', { link_id: nine.items[0].id });
    for (const [name, names] of /** @type {[string, string[]][]} */ ([
      ['Most clicks', ['Sale 10', 'sale 9', '100% off']],
      ['Most conversions', ['sale 9', '100% off', 'Sale 10']],
      ['Conversions per click', ['sale 9', '100% off', 'Sale 10']],
      ['Newest first', ['100% off', 'sale 9', 'Sale 10']]])) {
      await order.selectOption(name);
      await shows(...names);
    }
    assert.equal(new URL(page.url()).searchParams.get('sort'), null);

    // A search and an order go on from page to page, and show no link twice.
    for (let i = 0; i < 25; ++i) await make(`Mail ${i}`, `mail-${i}`);
    await page.goto(`${service.root}/app?search=mail&sort=name`);
    const names = (/** @type {number} */ first, /** @type {number} */ end) =>
      Array.from({ length: end - first }, (_, i) => `Mail ${first + i}`);
    await shows(...names(0, 20));
    await page.getByText('25 links found').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await shows(...names(20, 25));
    // An order of nobody is the usual one.
    await page.goto(`${service.root}/app?search=mail-2&sort=nonsense`);
    await shows(...[24, 23, 22, 21, 20, 2].map((x) => `Mail ${x}`));
    assert.equal(await order.inputValue(), 'newest');

    // The API's page leads back.
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.waitForURL(/\/docs$/);
    await page.getByText('GET', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Back to the dashboard' }).click();
    await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});

test('the corners of the list', async () => {
  const service = await start_service(shared.binary);
  try {
    await call(service, 'POST', '/links', {
      name: 'Spring', variants: ['A', 'B'].map((label) => ({
        label, weight: 50, destination_url: 'https://shop.example/',
      })),
    });
    // One width puts the edges between two pixels.
    for (const options of [{}, { viewport: { width: 1281, height: 900 } },
                           { viewport: { width: 390, height: 800 } }])
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        const me = await visitor(shared.browser, service,
                                 { ...options, colorScheme });
        await sign_in(me.page, service);
        await me.page.locator('.sparkline').waitFor();
        const box = await me.page.locator('.table-card .scroller').boundingBox();
        assert(box);
        // The part of each corner where the table has neither text nor line.
        const size = 5;
        for (const x of [box.x - 1, box.x + box.width - size])
          for (const y of [box.y - 1, box.y + box.height - size]) {
            const colours = await pixels(me.page, {
              x: Math.floor(x), y: Math.floor(y), width: size + 1, height: size + 1,
            });
            assert.equal(new Set(colours).size, 1,
                         `${colorScheme} at ${x}, ${y}: ${colours}`);
          }
        me.check();
        await me.end();
      }
  } finally {
    await service.end();
  }
});
