// @ts-check
// The whole story, as somebody tells it who never read the documentation.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { call, check_width, open_shop, shown_clicks, start_service, visit,
         visitor } from './harness.mjs';
import { shared } from './shared.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} shop */
async function make_first_link(page, shop) {
  await page.getByRole('heading', { name: 'Make your first split link' }).waitFor();
  await page.getByRole('link', { name: 'Create a link' }).click();
  await page.getByLabel('Name').fill('Spring sale');
  await page.getByLabel('Short address').fill('spring');
  await page.getByText('It is free').waitFor();
  const one = page.getByRole('group', { name: 'Variant 1' });
  const two = page.getByRole('group', { name: 'Variant 2' });
  await one.getByLabel('Destination').fill(`${shop}/a`);
  await two.getByLabel('Destination').fill(`${shop}/b`);
  await one.getByLabel('Share in %').fill('30');
  await page.getByText('Adds up to 80 %: 20 missing').waitFor();
  await page.getByRole('button', { name: 'Split evenly' }).click();
  await page.getByText('Adds up to 100 %').waitFor();
  await page.getByLabel('Not before so many clicks').fill('20');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('heading', { name: 'Your link is live' }).waitFor();
  await page.getByText('Too early to tell').waitFor();
  return page.url().match(/links\/([0-9a-f-]{36})/)?.[1] ?? '';
}

/**
 * One visit with a browser of its own; whoever sees B buys.
 * @param {import('./harness.mjs').Service} service
 * @param {number} who
 */
async function shop_with_browser(service, who) {
  const context = await shared.browser.newContext({
    userAgent: `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + who}.0) Gecko/20100101 `
      + `Firefox/${100 + who}.0`,
    extraHTTPHeaders: { 'X-Forwarded-For': '85.214.132.117' },
  });
  const page = await context.newPage();
  await page.goto(`${service.root}/spring`);
  const is_b = new URL(page.url()).pathname === '/b';
  if (is_b) {
    const pixel = page.waitForResponse((x) => x.url().includes('.gif'));
    await page.getByRole('link', { name: 'Buy' }).click();
    assert.equal((await pixel).status(), 200);
  }
  await context.close();
  return is_b;
}

/**
 * What is copied counts each visitor: it has no order number of an example.
 * @param {Page} page
 * @param {string} id
 */
async function check_snippets(page, id) {
  const text = async (/** @type {string} */ name) =>
    await page.getByRole('region', { name, exact: true }).textContent() ?? '';
  for (const way of ['Script', 'Pixel', 'Server']) {
    await page.getByRole('button', { name: way, exact: true }).click();
    const plain = await text(`${way} that reports a conversion`);
    assert(plain.includes(id), plain);
    assert.doesNotMatch(plain, /event_id|value|order/);
    assert.match(await text(`${way} with order and value`), /event_id.*order-17/);
  }
  await page.getByText('must be different for each order').waitFor();
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByText('It works when you have chosen where it leads').waitFor();
  assert.equal(await page.getByText(`/c/${id}`).count(), 0);
}

/** @param {Page} page @param {string} name */
function figure(page, name) {
  return page.locator('.figures > div').filter({ hasText: name })
    .locator('.figure').first();
}

/** @param {Page} page @param {string} name @param {string} value */
async function figure_shows(page, name, value) {
  await page.locator('.figures > div').filter({ hasText: name })
    .filter({ has: page.locator('.figure', { hasText: new RegExp(`^${value}$`) }) })
    .first().waitFor();
  assert.equal(await figure(page, name).textContent(), value);
}

/** @param {string} name @param {object} [options] */
function story(name, options = {}) {
  test(name, async () => {
    const service = await start_service(shared.binary);
    const shop = await open_shop();
    const me = await visitor(shared.browser, service, options);
    const { page } = me;
    try {
      // First sign-in, with what the first start printed.
      await page.goto(service.root);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByLabel('E-mail address').fill(service.email);
      await page.getByLabel('Password').fill(service.password);
      await page.keyboard.press('Enter');

      const id = await make_first_link(page, shop.root);
      shop.sell(service, id);
      await check_width(page, 'the page of a link');
      await page.getByRole('button', { name: 'Close this note' }).click();
      await check_snippets(page, id);

      // Visits move the numbers of the open page by themselves.
      let [clicks, bought] = [0, 0];
      while (clicks < 3 || bought < 1) {
        bought += Number(await shop_with_browser(service, clicks++));
        assert(clicks < 40, 'nobody saw B');
      }
      await figure_shows(page, 'Clicks', String(clicks));
      await figure_shows(page, 'Conversions', String(bought));

      // Enough of them for a winner.
      while (clicks < 20 || bought < 25) {
        const seen = await visit(service, 'spring', clicks++);
        if (!seen.to.endsWith('/b')) continue;
        await fetch(`${service.root}/c/${id}.gif`,
                    { headers: { ...seen.headers, Cookie: seen.cookie } });
        ++bought;
      }
      await figure_shows(page, 'Clicks', String(clicks));
      await figure_shows(page, 'Conversions', String(bought));
      await page.getByText('Winner found').waitFor();
      await page.locator('.verdict', { hasText: 'B wins' }).waitFor();
      const all = page.getByRole('region', { name: 'Variants' }).first();
      await all.getByText('B', { exact: true }).first().waitFor();

      // Everything on the screen tells of the same clicks.
      const shown = await shown_clicks(page);
      assert(Object.values(shown).every((x) => x === clicks), JSON.stringify(shown));

      await page.getByRole('cell', { name: 'Firefox, Linux' }).first().waitFor();

      // Who promotes the other one is told what is recommended.
      await all.getByRole('button', { name: 'Promote A' }).click();
      await page.getByRole('dialog').getByText('Turnout recommends B').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      // Promotion, after a question.
      const promote = page.locator('.winner')
        .getByRole('button', { name: 'Promote B' });
      await promote.click();
      await page.getByRole('dialog').getByText('From the next visit on').waitFor();
      assert.equal(await page.getByText('Turnout recommends').count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert((await call(service, 'GET', `/links/${id}`)).variants
        .every((/** @type {any} */ x) => x.weight === 50));
      await promote.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Promote B' })
        .click();
      await page.locator('.verdict', { hasText: 'Everybody sees B' }).waitFor();
      // What was pressed is gone; the focus is near it, the evidence still there.
      await page.waitForFunction(
        () => document.activeElement?.textContent === 'Which variant wins?');
      await page.getByText(/it was recommended with evidence/).waitFor();
      await page.getByText('The numbers of the recommendation').waitFor();
      for (let i = 0; i < 5; ++i)
        assert((await visit(service, 'spring', i)).to.endsWith('/b'));

      // Who splits again finds even shares.
      await page.getByRole('link', { name: 'Split the traffic again' }).click();
      await page.getByText('Adds up to 100 %').waitFor();
      for (const share of await page.getByLabel('Share in %').all())
        assert.equal(await share.inputValue(), '50');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.locator('.verdict', { hasText: 'Everybody sees B' }).waitFor();

      // The clicks as a file.
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const file = await saving;
      assert.equal(file.suggestedFilename(), 'spring-clicks.csv');
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
      assert(lines.length > clicks);
      assert(lines[0]?.startsWith('id,link_id,variant_id'));

      // The QR code.
      await page.getByRole('button', { name: 'QR code' }).click();
      const code = page.getByAltText(`QR code of ${service.root}/spring`);
      await code.waitFor();
      assert(await code.evaluate((x) => {
        const image = /** @type {HTMLImageElement} */ (x);
        return image.decode().then(() => image.naturalWidth > 0);
      }));
      const png = page.waitForEvent('download');
      await page.getByRole('button', { name: 'PNG' }).click();
      assert.equal((await png).suggestedFilename(), 'spring.png');
      await page.getByRole('button', { name: 'Close' }).click();

      // Pause and resume; delete, think again, delete.
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('This link is paused').waitFor();
      const paused = await fetch(`${service.root}/spring`, { redirect: 'manual' });
      assert.equal(paused.status, 404);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('This link is paused').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Links' }).first().click();
      await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete Spring sale' }).click();
      await page.getByRole('button', { name: 'Delete link' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Delete Spring sale' }).click();
      await page.getByRole('button', { name: 'Delete link' }).click();
      await page.getByRole('heading', { name: 'Make your first split link' })
        .waitFor();
      const gone = await fetch(`${service.root}/spring`, { redirect: 'manual' });
      assert.equal(gone.status, 404);

      // Keys.
      await page.getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Keys' }).click();
      await page.getByLabel('Name').fill('Shop backend');
      await page.getByRole('button', { name: 'Create key' }).click();
      const once = page.getByRole('region', { name: 'API key', exact: true });
      const key = await once.textContent() ?? '';
      assert.match(key, /^svc_sk_[A-Za-z0-9]{32}$/);
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      const row = page.getByRole('row', { name: /Shop backend/ });
      await row.getByText('Never').waitFor();
      const use = () => fetch(`${service.root}/api/v1/public/links`,
                              { headers: { 'X-API-Key': key } });
      assert.equal((await use()).status, 200);
      await row.getByText('just now').waitFor();
      await page.reload();
      await row.waitFor();
      assert(!(await page.content()).includes(key), 'a key is shown once');
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await row.waitFor({ state: 'detached' });
      assert.equal((await use()).status, 401);
      // A new one that is revoked at once is not offered for copying any more.
      await page.getByLabel('Name').fill('Mistake');
      await page.getByRole('button', { name: 'Create key' }).click();
      await once.waitFor();
      await page.getByRole('row', { name: /Mistake/ })
        .getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await once.waitFor({ state: 'detached' });

      // Sign-out ends the session, also for who kept the cookie.
      const cookies = await me.context.cookies();
      const session = cookies.find((x) => x.httpOnly);
      assert.equal(session?.sameSite, 'Strict');
      const ask = () => fetch(`${service.root}/api/v1/public/links`, {
        headers: { 'X-Requested-With': 'turnout',
                   Cookie: `${session?.name}=${session?.value}` },
      });
      assert.equal((await ask()).status, 200);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal((await ask()).status, 401);
      me.check();
    } finally {
      await me.end();
      shop.end();
      await service.end();
    }
  });
}

story('the story of a link');
