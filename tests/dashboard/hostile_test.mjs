// @ts-check
// Whatever others wrote is shown as text, and breaks no layout.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, check_width, eventually, sign_in, start_service, visit, visitor }
  from './harness.mjs';
import { shared } from './shared.mjs';

const script = '"><img src=x onerror=window.harm=1><script>window.harm=1</script>';
const backwards = '\u202e\u2066gnp.elif\u202d';

test('hostile texts', async () => {
  const service = await start_service(shared.binary);
  const phone = { viewport: { width: 360, height: 740 } };
  try {
    const name = `${script} ${backwards}`.slice(0, 100);
    const labels = [`<b>${'W'.repeat(47)}`, `${backwards}${script}`.slice(0, 50)];
    const link = await call(service, 'POST', '/links', {
      name,
      slug: 'hostile',
      variants: labels.map((label, i) => ({
        label, weight: 50,
        destination_url: `https://shop.example/${i}?q=%3Cscript%3E`
          + 'x'.repeat(2000),
      })),
    });
    await call(service, 'POST', '/links', {
      name: 'W'.repeat(100), slug: 'W'.repeat(32),
      variants: labels.map((label) => ({
        label, weight: 50, destination_url: 'https://shop.example/',
      })),
    });
    const agent = `Mozilla/5.0 ${script}${'A'.repeat(2048)}`;
    const referrer = `https://news.example/<script>window.harm=1</script>${
      'b'.repeat(2020)}`;
    for (let i = 0; i < 4; ++i)
      await visit(service, 'hostile', i,
                  { 'User-Agent': agent, Referer: i % 2 ? referrer
                    : `https://${'very-long.'.repeat(20)}example/` });
    await call(service, 'POST', '/conversions', {
      link_id: link.id, variant_id: link.variants[0].id,
      event_id: script + 'e'.repeat(150), value: '999999999999999999.999999999',
      currency: 'EUR',
    });
    await eventually(() => call(service, 'GET', `/links/${link.id}/analytics`),
                     (x) => x.total_clicks === 4 && x.total_conversions === 1);
    for (const options of [{}, phone]) {
      const me = await visitor(shared.browser, service, options);
      const { page } = me;
      try {
        await sign_in(page, service);
        await page.locator('.links .name').nth(1).waitFor();
        assert.deepEqual(await page.locator('.links .name').allTextContents(),
                         ['W'.repeat(100), name]);
        await check_width(page, 'the list');
        await page.locator('.links .name').nth(1).click();
        await page.locator('.clicks tbody tr').nth(3).waitFor();
        assert.equal(await page.locator('h1').textContent(), name);
        const shown = await page.locator('.variant-name bdi').allTextContents();
        assert.deepEqual(shown, labels);
        assert((await page.locator('.clicks').textContent())?.includes('<img src=x'));
        await check_width(page, 'the page of a link');
        await page.getByRole('button', { name: 'Delete link' }).click();
        await check_width(page, 'a question');
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('link', { name: 'Edit' }).click();
        await page.getByLabel('Name').waitFor();
        assert.equal(await page.getByLabel('Name').inputValue(), name);
        await check_width(page, 'the form');
        // Who writes backwards turns nothing around but their own words.
        assert.equal(await page.evaluate('window.harm'), undefined);
        assert.equal(await page.locator('script:not([src]), img').count(), 0);
        me.check();
      } finally {
        await me.end();
      }
    }
  } finally {
    await service.end();
  }
});

// The service refuses such a destination; should one be in its answers all the
// same, nobody can follow it.
test('a destination that is no address of the web', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  try {
    const link = await call(service, 'POST', '/links', {
      name: 'Spring', variants: ['A', 'B'].map((label) => ({
        label, weight: 50, destination_url: 'https://shop.example/',
      })),
    });
    await page.route('**/analytics*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text())
        .replaceAll('https://shop.example/', 'javascript:window.harm=1');
      await route.fulfill({ response: answer, body });
    });
    await sign_in(page, service, `/links/${link.id}`);
    await page.getByText('javascript:window.harm=1').first().waitFor();
    assert.equal(await page.locator('[href*="javascript:" i]').count(), 0);
    await page.getByText('javascript:window.harm=1').first().click();
    assert.equal(await page.evaluate('window.harm'), undefined);
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
