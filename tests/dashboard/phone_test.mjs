// @ts-check
// The same on a small screen: nothing is wider than it, everything can be reached.

import { test } from 'node:test';
import { call, check_width, sign_in, start_service, visit, visitor }
  from './harness.mjs';
import { shared } from './shared.mjs';

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
