// @ts-check
// Takes the pictures of docs/dashboard:
//   node tests/dashboard/screenshots.mjs <turnout binary> <directory>

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, eventually, launch, sign_in, start_service, visit, visitor }
  from './harness.mjs';

const [binary, directory] = process.argv.slice(2);
if (!binary || !directory) {
  console.error('usage: screenshots.mjs <turnout binary> <directory>');
  process.exit(2);
}
mkdirSync(directory, { recursive: true });

/** @param {string} url_a @param {string} url_b */
const halves = (url_a, url_b) => [
  { label: 'Old page', destination_url: url_a, weight: 50 },
  { label: 'New page', destination_url: url_b, weight: 50 },
];

/**
 * Visits a link; of those who see a page, every so manieth converts.
 * @param {import('./harness.mjs').Service} service
 * @param {{id: string, slug: string}} link
 * @param {number} visits
 * @param {Record<string, number>} every
 */
async function traffic(service, link, visits, every) {
  /** @type {Record<string, number>} */
  const seen = {};
  for (let i = 0; i < visits; ++i) {
    const { to, cookie, headers } = await visit(service, link.slug, i + 1);
    const n = seen[to] = (seen[to] ?? 0) + 1;
    const page = Object.keys(every).find((x) => to.includes(x)) ?? '';
    if (page && n % (every[page] ?? 1) === 0)
      await fetch(`${service.root}/c/${link.id}.gif?value=19.90&currency=EUR`,
                  { headers: { ...headers, Cookie: cookie } });
  }
}

/** @param {import('./harness.mjs').Service} service */
async function fill(service) {
  const links = [];
  const add = async (/** @type {object} */ body) => {
    const link = await call(service, 'POST', '/links', body);
    links.push(link);
    return link;
  };
  const guide = await add({
    name: 'Autumn guide, print ad', slug: 'guide',
    variants: halves('https://shop.example/guide', 'https://shop.example/guide-2'),
  });
  const app = await add({
    name: 'App download', slug: 'get-app', routing_type: 'geo',
    variants: [
      { label: 'Germany', destination_url: 'https://shop.example/de/app', weight: 50 },
      { label: 'World', destination_url: 'https://shop.example/app', weight: 50 },
    ],
    geo_rules: { DE: 'Germany', AT: 'Germany', default: 'World' },
  });
  const letter = await add({
    name: 'Newsletter, sign-up button', slug: 'letter', auto_winner: true,
    variants: halves('https://shop.example/letter', 'https://shop.example/letter-b'),
  });
  const sale = await add({
    name: 'Spring sale', slug: 'spring', auto_winner: true,
    variants: halves('https://shop.example/sale', 'https://shop.example/sale-new'),
  });
  await call(service, 'PUT', `/links/${guide.id}`, { is_active: false });
  await traffic(service, app, 40, { '/app': 5 });
  await traffic(service, letter, 160, { '/letter-b': 6, '/letter': 9 });
  await traffic(service, sale, 420, { '/sale-new': 4, '/sale': 15 });
  for (let i = 0; i < 9; ++i)
    await visit(service, 'spring', i, { 'User-Agent': 'WhatsApp/2.23.20.0' });
  for (let i = 0; i < 4; ++i)
    await visit(service, 'spring', i, { 'User-Agent': 'Googlebot/2.1' });
  await eventually(() => call(service, 'GET', `/links/${sale.id}/analytics/winner`),
                   (x) => x.status === 'recommended');
  return { sale, letter, app };
}

const browser = await launch();
const service = await start_service(binary);

/**
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
async function shoot(page, name, full = true) {
  const path = join(/** @type {string} */ (directory), `${name}.png`);
  await page.screenshot({ path, fullPage: full });
  // Few colours make small files.
  const { status } = spawnSync('pngquant', ['--force', '--ext', '.png',
    '--strip', '--speed', '1', '--nofs', '48', path], { stdio: 'inherit' });
  if (status !== 0) throw new Error('pngquant failed; it is a package of Debian');
}

const screens = {
  wide: { viewport: { width: 1200, height: 800 } },
  phone: { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true },
};
const schemes = /** @type {const} */ (['light', 'dark']);

try {
  /** @type {Record<string, import('playwright-core').Page>} */
  const pages = {};
  const visitors = [];
  for (const [screen, options] of Object.entries(screens))
    for (const colorScheme of schemes) {
      const me = await visitor(browser, service, { ...options, colorScheme });
      visitors.push(me);
      pages[`${screen}-${colorScheme}`] = me.page;
      await me.page.goto(`${service.root}/app`);
      await me.page.getByLabel('Password').waitFor();
      await shoot(me.page, `sign-in-${screen}-${colorScheme}`);
      await sign_in(me.page, service);
      await me.page.getByRole('heading', { name: 'Make your first' }).waitFor();
      await shoot(me.page, `empty-${screen}-${colorScheme}`);
    }
  const { sale, letter, app } = await fill(service);
  await call(service, 'GET', '/links');
  for (const [name, page] of Object.entries(pages)) {
    await page.goto(`${service.root}/app`);
    await page.locator('.sparkline').first().waitFor();
    await shoot(page, `links-${name}`);

    await page.goto(`${service.root}/app/links/new`);
    await page.getByLabel('Name').fill('Summer campaign');
    await page.getByLabel('Short address').fill('summer');
    await page.getByText('It is free').waitFor();
    const one = page.getByRole('group', { name: 'Variant 1' });
    await one.getByLabel('Destination').fill('https://shop.example/summer');
    await one.getByLabel('Share in %').fill('60');
    const two = page.getByRole('group', { name: 'Variant 2' });
    await two.getByLabel('Destination').fill('https://shop.example/summer-new');
    await two.getByLabel('Share in %').fill('40');
    await shoot(page, `new-${name}`);
    await page.getByRole('link', { name: 'Cancel' }).click();

    await page.goto(`${service.root}/app/links/${app.id}/edit`);
    await page.getByLabel('Everyone else sees').waitFor();
    await shoot(page, `edit-${name}`);

    await page.goto(`${service.root}/app/links/${sale.id}?days=7`);
    await page.getByText('Winner found').waitFor();
    await page.locator('.chart canvas').waitFor();
    await shoot(page, `link-${name}`);
    await shoot(page, `winner-${name}`, false);
    await page.locator('.winner').getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('dialog').waitFor();
    await shoot(page, `promote-${name}`, false);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'QR code' }).click();
    await page.getByRole('img', { name: /QR code of/ }).waitFor();
    await shoot(page, `qr-${name}`, false);

    await page.goto(`${service.root}/app/links/${letter.id}`);
    await page.locator('.verdict').waitFor();
    await shoot(page, `undecided-${name}`, false);

    await page.goto(`${service.root}/app/keys`);
    await page.getByLabel('Name').waitFor();
    await shoot(page, `keys-${name}`);

    await page.goto(`${service.root}/app/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await shoot(page, `not-found-${name}`, false);
  }
  for (const me of visitors) me.check();
} finally {
  await browser.close();
  await service.end();
}
