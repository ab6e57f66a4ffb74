// @ts-check
// A range of days that is being typed never breaks the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, sign_in, start_service, visitor } from './harness.mjs';
import { shared } from './shared.mjs';

test('a range of days', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  const from = page.getByLabel('From', { exact: true });
  const to = page.getByLabel('To', { exact: true });
  const today = new Date().toISOString().slice(0, 10);
  const shown = () => page.locator('.range-head > .hint').textContent();
  try {
    const { id } = await call(service, 'POST', '/links', {
      name: 'Spring', variants: ['A', 'B'].map((label) => ({
        label, weight: 50, destination_url: 'https://shop.example/',
      })),
    });
    /** @type {string[]} */
    const asked = [];
    page.on('request', (x) => {
      const day = new URL(x.url()).searchParams.get('from_date');
      if (day) asked.push(day);
    });
    await sign_in(page, service, `/links/${id}`);
    await page.getByRole('button', { name: 'Custom' }).click();
    await from.waitFor();

    // Digit by digit, in whichever order the browser has them: the year grows.
    const is_here = async () => {
      assert(await from.evaluate((x) => x === document.activeElement));
      assert.equal(await page.getByRole('heading', { name: 'Spring' }).count(), 1);
    };
    await from.focus();
    await page.keyboard.press('Backspace');
    await page.getByText('Choose both days').waitFor();
    assert.equal(await from.getAttribute('aria-invalid'), 'true');
    await is_here();
    await page.keyboard.type('01012');
    await page.getByText('Write years with four digits').waitFor();
    await is_here();
    await page.keyboard.type('025');
    await page.getByText('The numbers are still').waitFor({ state: 'detached' });
    assert.equal(await from.inputValue(), '2025-01-01');
    await page.waitForURL(/from=2025-01-01/);
    await page.getByText('1 Jan 2025 –').waitFor();
    await is_here();

    // The wrong way round, and a day to come.
    const before = await shown();
    await to.fill('2024-12-31');
    await page.getByText('The first day is after the last one').waitFor();
    await to.fill('2999-01-01');
    await page.getByText('Choose days up to today').waitFor();
    assert.equal(await shown(), before);
    await to.fill('2025-02-28');
    await page.getByText('1 Jan 2025 – 28 Feb 2025').waitFor();
    assert(asked.every((x) => x > '2025'), asked.join());

    // A bookmark of a range that makes no sense shows the usual one.
    for (const query of [`from=${today}&to=2020-01-01`, 'from=2025-02-31&to=2025-03-01',
                         'from=&to=', 'from=2025-02-01', 'from=0002-01-01&to=x']) {
      await page.goto(`${service.root}/app/links/${id}?days=custom&${query}`);
      await page.getByRole('heading', { name: 'Spring' }).waitFor();
      await page.getByRole('button', { name: '30 days', pressed: true }).waitFor();
    }
    me.check();

    // A refusal is told as it is; the link is there.
    await page.route('**/analytics?*', (route) => route.fulfill({
      status: 400, json: { detail: 'Those days cannot be' },
    }));
    await page.goto(`${service.root}/app/links/${id}`);
    await page.getByText('Those days cannot be').waitFor();
    assert.equal(await page.getByText('There is no such link').count(), 0);
  } finally {
    await me.end();
    await service.end();
  }
});
