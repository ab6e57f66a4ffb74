// @ts-check
// Starts the real binary and looks at its dashboard with a real browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').BrowserContextOptions} Options */

/** How long a test waits for what has to happen, in milliseconds. */
export const patience = 60_000;

const axe = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @returns {Promise<Browser>} */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update',
           '--disable-sync', '--disable-dev-shm-usage'],
  });
}

/**
 * @param {string} binary
 * @param {Record<string, string>} settings
 */
export async function start_service(binary, settings = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'turnout-dashboard-'));
  // Not the settings of who runs the test.
  const env = {
    ...Object.fromEntries(Object.entries(process.env)
      .filter(([name]) => !name.startsWith('TURNOUT_'))),
    ...settings,
  };
  let child = run('127.0.0.1:0');
  /** @param {string} listen */
  function run(listen) {
    return spawn(
      binary,
      ['serve', '--data-dir', dir, '--listen', listen, '--operator-listen',
       '127.0.0.1:0'],
      { env, stdio: ['ignore', 'pipe', 'inherit'] });
  }
  const first = await ready(child);
  const { root, email, password, key } = first;
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [status] = await ended;
    assert.equal(status, 0);
  };
  return {
    root, email, password, key,
    stop,
    /** Starts it again at the same address, after a stop. */
    async resume() {
      child = run(new URL(root).host);
      await ready(child);
    },
    async end() {
      if (child.exitCode === null) await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof start_service>>} Service */

/** @param {import('node:child_process').ChildProcess} child */
async function ready(child) {
  let text = '';
  // Later output is of no interest, but has to go somewhere.
  const stdout = /** @type {import('node:stream').Readable} */ (child.stdout);
  return new Promise((done, fail) => {
    child.once('exit', (status) => fail(new Error(`it exited with ${status}`)));
    stdout.on('data', (chunk) => {
      text += chunk;
      const root = /listening public=(\S+)/.exec(text)?.[1];
      if (root)
        done({
          root,
          email: /^ *e-mail *(\S+)/m.exec(text)?.[1] ?? '',
          password: /^ *password *(\S+)/m.exec(text)?.[1] ?? '',
          key: /(svc_sk_\w+)/.exec(text)?.[1] ?? '',
        });
    });
  });
}

/**
 * Waits until something holds.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {(x: T) => unknown} suits
 */
export async function eventually(ask, suits) {
  for (const end = Date.now() + patience; ;) {
    const x = await ask();
    if (suits(x)) return x;
    assert(Date.now() < end, `still ${JSON.stringify(x)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/**
 * A person at a browser. What the page complains of is an error of the test:
 * `check` throws for each message of the console that `expected` does not match.
 * @param {Browser} browser
 * @param {Service} service
 * Nor may it ask a host that is not its own, but for `others`.
 * @param {Options & {expected?: RegExp, others?: string[]}} options
 */
export async function visitor(browser, service,
                              { expected, others = [], ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(patience);
  /** @type {string[]} */
  const complaints = [];
  const own = new URL(service.root).host;
  context.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && ![own, ...others].includes(host))
      complaints.push(`asks another host: ${request.url()}`);
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (!expected?.test(message.text()))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (e) => complaints.push(`thrown: ${e}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) => {
      console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`);
    });
  });
  return {
    context,
    page,
    complaints,
    /** Throws if the page complained of something. */
    check() {
      assert.deepEqual(complaints, []);
    },
    end() {
      return context.close();
    },
  };
}

/**
 * @param {Page} page
 * @param {Service} service
 */
export async function sign_in(page, service, path = '') {
  await page.goto(`${service.root}/app${path}`);
  await page.getByLabel('E-mail address').fill(service.email);
  await page.getByLabel('Password').fill(service.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/**
 * Finds nothing that somebody could not see, reach or understand.
 * @param {Page} page
 * @param {string} where
 */
export async function check_access(page, where) {
  // Not as a script of the page: its policy forbids that.
  const violations = await page.evaluate(`(async () => {
    if (!window.axe) { ${axe} }
    const found = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
                'best-practice'],
    });
    return found.violations.flatMap((x) => x.nodes.map(
      (y) => x.id + ': ' + y.target.join(' ') + ': ' + y.failureSummary));
  })()`);
  assert.deepEqual(violations, [], where);
}

/**
 * Nothing reaches beyond the screen's right edge.
 * @param {Page} page
 * @param {string} where
 */
export async function check_width(page, where) {
  const screen = page.viewportSize()?.width ?? 0;
  const content = await page.evaluate(() => document.documentElement.scrollWidth);
  if (content <= screen) return;
  const widest = await page.evaluate((limit) => [...document.querySelectorAll('*')]
    .filter((x) => x.getBoundingClientRect().right > limit)
    .map((x) => `${x.tagName}.${x.getAttribute('class')}`).slice(0, 12), screen);
  assert.fail(`${where} is ${content} wide on a screen of ${screen}: ${widest}`);
}

/**
 * The colours of a part of the screen, row by row, as "r,g,b".
 * @param {Page} page
 * @param {{x: number, y: number, width: number, height: number}} clip
 * @returns {Promise<string[]>}
 */
export async function pixels(page, clip) {
  const picture = await page.screenshot({ clip });
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const on = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    on.drawImage(image, 0, 0);
    const { data: bytes } = on.getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: bytes.length / 4 },
                      (_, i) => bytes.slice(4 * i, 4 * i + 3).join());
  }, picture.toString('base64'));
}

/**
 * The clicks that the page of a link shows, in each of its parts.
 * @param {Page} page
 * @returns {Promise<Record<string, number>>}
 */
export function shown_clicks(page) {
  return page.evaluate(() => {
    const number = (/** @type {string | null | undefined} */ text) =>
      Number((/^[\d,]+/.exec(text ?? '')?.[0] ?? '').replaceAll(',', ''));
    const sum = (/** @type {string} */ selector) =>
      [...document.querySelectorAll(selector)]
        .reduce((all, x) => all + number(x.firstChild?.textContent), 0);
    const list = document.querySelector('.clicks')?.closest('.card')
      ?.querySelector('.table-foot .hint');
    const parts = [...document.querySelectorAll('.grid .breakdown')]
      .map((x) => [...x.querySelectorAll('tbody td:nth-child(2)')]
        .reduce((all, y) => all + number(y.firstChild?.textContent), 0));
    return {
      figure: number(document.querySelector('.figures .figure')?.textContent),
      variants: sum('.variants-table td[data-label=Clicks]'),
      days: sum('.as-table .short tbody td:nth-child(2)'),
      countries: sum('.countries tbody td:nth-child(2)'),
      referrers: parts[0] ?? -1,
      devices: parts[1] ?? -1,
      browsers: parts[2] ?? -1,
      systems: parts[3] ?? -1,
      list: number(list?.textContent),
    };
  });
}

/**
 * Calls the API as a program would.
 * @param {Service} service
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(service, method, path, body) {
  const answer = await fetch(`${service.root}/api/v1/public${path}`, {
    method,
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** First halves of visitors' addresses, of different countries. */
const networks = ['85.214', '85.214', '85.214', '8.8', '8.8', '133.242', '62.4',
                  '200.147', '196.25'];

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 '
    + '(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like '
    + 'Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)'
    + ' Chrome/126.0.0.0 Mobile Safari/537.36',
];

const referrers = ['https://news.example/today', 'https://www.search.example/',
                   'https://mail.example/inbox', ''];

/**
 * Visits a short link without a browser; returns where it led and its cookie.
 * @param {Service} service
 * @param {string} slug
 * @param {number} who
 * @param {Record<string, string>} headers
 */
export async function visit(service, slug, who, headers = {}) {
  const referrer = referrers[(who >> 2) % referrers.length];
  const own = {
    'X-Forwarded-For':
      `${networks[who % networks.length]}.${(who >> 8) & 255}.${who & 255}`,
    'User-Agent': agents[(who >> 1) % agents.length] ?? '',
    ...(referrer ? { Referer: referrer } : {}),
    ...headers,
  };
  const answer = await fetch(`${service.root}/${slug}`,
                             { headers: own, redirect: 'manual' });
  assert.equal(answer.status, 302);
  return {
    to: answer.headers.get('location') ?? '',
    cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    headers: own,
  };
}

/**
 * A shop: pages /a and /b with a button that leads to /thanks, where a script
 * of the service reports the conversion.
 */
export async function open_shop() {
  let service_root = '';
  let link_id = '';
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (path === '/thanks')
      response.end(`<!doctype html><title>Thanks</title><h1>Thanks</h1>
        <script>window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)}</script>
        <script async src="${service_root}/c.js"></script>
        <script>svc('convert', '${link_id}', {value: 19.9, currency: 'EUR'})</script>`);
    else if (path === '/a' || path === '/b')
      response.end(`<!doctype html><title>Shop ${path}</title><h1>Shop ${path}</h1>
        <a href="/thanks">Buy</a>`);
    else
      response.writeHead(204).end();
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  assert(address && typeof address === 'object');
  return {
    // Another host than that of the short links.
    root: `http://localhost:${address.port}`,
    /** @param {Service} service @param {string} id */
    sell(service, id) {
      service_root = service.root;
      link_id = id;
    },
    end() {
      server.closeAllConnections();
      server.close();
    },
  };
}
