// @ts-check
// Every page can be seen, reached and understood by everybody, as far as a
// program can tell; and by keyboard alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, check_access, check_width, eventually, sign_in, start_service, visit,
         visitor } from './harness.mjs';
import { shared } from './shared.mjs';

test('every page, light and dark', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service, { expected: /status of 4/ });
  const { page } = me;
  const check = async (/** @type {string} */ where) => {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      await check_access(page, `${where}, ${colorScheme}`);
    }
  };
  try {
    await page.goto(`${service.root}/app`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await check('sign-in');
    await sign_in(page, service);
    await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
    await check('no links');

    const make = (/** @type {object} */ body) => call(service, 'POST', '/links', {
      name: 'Spring', variants: ['A', 'B'].map((label) => ({
        label, weight: 50, destination_url: `https://shop.example/${label}`,
      })),
      ...body,
    });
    const link = await make({ slug: 'spring', auto_winner: true,
                              auto_winner_threshold: 10 });
    const geo = await make({ name: 'Geo', routing_type: 'geo',
                             geo_rules: { DE: 'A', default: 'B' } });
    await call(service, 'PUT', `/links/${geo.id}`, { is_active: false });
    let bought = 0;
    for (let i = 0; bought < 20; ++i) {
      const { to, cookie, headers } = await visit(service, 'spring', i);
      if (!to.endsWith('B')) continue;
      ++bought;
      await fetch(`${service.root}/c/${link.id}.gif`,
                  { headers: { ...headers, Cookie: cookie } });
    }
    await eventually(() => call(service, 'GET', `/links/${link.id}/analytics/winner`),
                     (x) => x.status === 'recommended');

    await page.getByRole('row', { name: /Spring/ }).waitFor();
    await page.locator('.sparkline').first().waitFor();
    await check('links');
    await page.getByRole('button', { name: 'Delete Spring' }).click();
    await check('the question before deleting');
    await page.keyboard.press('Escape');
    await page.getByPlaceholder('Search').fill('nothing like it');
    await page.getByText('Show all links').waitFor();
    await check('a search that finds nothing');

    await page.goto(`${service.root}/app/links/new`);
    await page.getByLabel('Name').waitFor();
    await page.getByText('More settings').click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await check('the form with an error');
    await page.goto(`${service.root}/app/links/${geo.id}/edit`);
    await page.getByLabel('Everyone else sees').waitFor();
    await check('the form by country');

    await page.goto(`${service.root}/app/links/${link.id}?new=1`);
    await page.getByText('Winner found').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    await check('a link');
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From', { exact: true }).fill('');
    await page.getByText('Choose both days').waitFor();
    await check('a range that is none');
    await page.getByRole('button', { name: 'QR code' }).click();
    await page.getByRole('img', { name: /QR code of/ }).waitFor();
    await check('the QR code');
    await page.keyboard.press('Escape');
    await page.goto(`${service.root}/app/links/${geo.id}`);
    await page.getByRole('heading', { name: 'Who sees which page' }).waitFor();
    await check('a link by country');
    await call(service, 'POST', `/links/${geo.id}/promote-winner`,
               { variant_id: geo.variants[0].id });
    await page.getByText('Everybody is sent to').waitFor();
    await check('a promoted link by country');

    await page.goto(`${service.root}/app/keys`);
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    await check('keys');
    await page.goto(`${service.root}/app/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await check('no such page');
    await page.goto(`${service.root}/app/links/01890000-0000-7000-8000-000000000000`);
    await page.getByRole('heading', { name: 'There is no such link' }).waitFor();

    // Letters of twice the size widen no page.
    await page.setViewportSize({ width: 640, height: 450 });
    for (const path of ['', '/links/new', `/links/${link.id}`, '/keys']) {
      await page.goto(`${service.root}/app${path}`);
      await page.locator('h1').waitFor();
      await check_width(page, path || 'links');
    }
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});

test('by keyboard alone', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  const press = async (/** @type {string[]} */ ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Goes on with Tab until an element of a name has the focus. */
  const reach = async (/** @type {string} */ name) => {
    for (let i = 0; i < 60; ++i) {
      const at = await page.evaluate(() => {
        const x = /** @type {any} */ (document.activeElement);
        return (x?.getAttribute('aria-label') || x?.labels?.[0]?.textContent
                || x?.textContent || '').trim();
      });
      if (at === name) return;
      await press('Tab');
    }
    assert.fail(`nothing named ${name} can be reached`);
  };
  try {
    await page.goto(`${service.root}/app`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await reach('E-mail address');
    await page.keyboard.type(service.email);
    await press('Tab');
    await page.keyboard.type(service.password);
    await press('Enter');
    await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
    await reach('Skip to the content');
    await press('Enter');
    await reach('Create a link');
    await press('Enter');
    await page.getByRole('heading', { name: 'New link' }).waitFor();
    await reach('Name');
    await page.keyboard.type('By keyboard');
    await reach('Destination');
    await page.keyboard.type('https://shop.example/a');
    await press('Tab');
    await reach('Destination');
    await page.keyboard.type('https://shop.example/b');
    await press('Enter');
    await page.getByRole('heading', { name: 'Your link is live' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await reach('Delete link');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    // The focus stays in the question and returns to where it was.
    for (let i = 0; i < 8; ++i) {
      await press('Tab');
      assert(await page.evaluate(() => {
        const x = document.activeElement;
        return x === document.body || x?.closest('dialog') !== null;
      }));
    }
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const has_focus = (/** @type {string} */ name) => page.waitForFunction((x) => {
      const at = document.activeElement;
      return (at?.getAttribute('aria-label') ?? at?.textContent) === x;
    }, name);
    await has_focus('Delete link');
    // An undo has the focus at once, and long enough; then it goes back.
    await press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete link' })
      .focus();
    await press('Enter');
    await has_focus('Undo');
    await page.getByText('is deleted in 15 seconds. Until then it works').waitFor();
    await page.waitForTimeout(10_500);
    await has_focus('Undo');
    await press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await has_focus('Delete link');
    assert.equal((await call(service, 'GET', '/links')).total, 1);
    // What was gone with the link leaves the focus at the next page's name.
    await press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete link' })
      .focus();
    await press('Enter');
    await has_focus('Undo');
    await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
