// @ts-check
// The same on a small screen: nothing is wider than it, everything can be reached.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, check_width, pixels, sign_in, start_service, visit, visitor }
  from './harness.mjs';
import { shared } from './shared.mjs';

/**
 * A shadow says where the table of clicks goes on, and only there.
 * @param {import('playwright-core').Page} page
 */
async function check_scroll_shadow(page) {
  const table = page.getByRole('region', { name: 'Table: Clicks' });
  await table.scrollIntoViewIfNeeded();
  const surface = await table.evaluate((x) => {
    const card = /** @type {Element} */ (x.closest('.card'));
    return (getComputedStyle(card).backgroundColor.match(/\d+/g) ?? []).join();
  });
  /** How much of each edge has the colour of what is below. */
  const plain = async () => {
    const box = await table.boundingBox();
    assert(box);
    const share = async (/** @type {number} */ x) => {
      const all = await pixels(page, { x, y: box.y, width: 1, height: box.height });
      return all.filter((y) => y === surface).length / all.length;
    };
    return [await share(Math.ceil(box.x) + 1),
            await share(Math.floor(box.x + box.width) - 2)];
  };
  const scroll_to = (/** @type {number} */ x) => table.evaluate((element, at) => {
    element.scrollLeft = at;
    return new Promise((done) =>
      requestAnimationFrame(() => requestAnimationFrame(() => done(0))));
  }, x);
  assert(await table.evaluate((x) => x.scrollWidth > x.clientWidth + 80));
  const [left = 0, right = 1] = await plain();
  assert(left > 0.4 && right < 0.1, `at the start: ${left}, ${right}`);
  await scroll_to(40);
  const middle = await plain();
  assert(middle.every((x) => x < 0.1), `in the middle: ${middle}`);
  await scroll_to(10_000);
  const [left_of_end = 1, right_of_end = 0] = await plain();
  assert(left_of_end < 0.1 && right_of_end > 0.4,
         `at the end: ${left_of_end}, ${right_of_end}`);
}

test('a phone', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service, {
    viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true,
  });
  const { page } = me;
  try {
    await sign_in(page, service);
    await check_width(page, 'the empty list');
    await page.getByRole('link', { name: 'Create a link' }).tap();
    await page.getByLabel('Name').fill('On the way');
    const fill = async (/** @type {string} */ group, /** @type {string} */ url) =>
      page.getByRole('group', { name: group }).getByLabel('Destination').fill(url);
    await fill('Variant 1', 'https://shop.example/a');
    await fill('Variant 2', 'https://shop.example/b');
    await page.getByRole('button', { name: 'Add a variant' }).tap();
    await fill('Variant 3', 'https://shop.example/c');
    await check_width(page, 'the form');
    await page.getByRole('button', { name: 'Create link' }).tap();
    await page.getByRole('heading', { name: 'On the way' }).waitFor();
    const id = page.url().match(/links\/([0-9a-f-]{36})/)?.[1] ?? '';
    const { slug } = await call(service, 'GET', `/links/${id}`);
    for (let i = 0; i < 4; ++i) await visit(service, slug, i);
    await page.locator('.figure', { hasText: /^4$/ }).first().waitFor();
    await check_width(page, 'the page of a link');
    await check_scroll_shadow(page);
    await page.getByRole('button', { name: 'QR code' }).tap();
    await page.getByRole('img', { name: /QR code of/ }).waitFor();
    await check_width(page, 'the QR code');
    await page.getByRole('button', { name: 'Close', exact: true }).tap();
    await page.getByRole('link', { name: 'Edit' }).tap();
    await page.getByLabel('Name').fill('Still on the way');
    await page.getByRole('button', { name: 'Save changes' }).tap();
    await page.getByRole('heading', { name: 'Still on the way' }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).tap();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await check_width(page, 'the keys');
    await page.getByRole('button', { name: 'Sign out' }).tap();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await check_width(page, 'the sign-in');
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
