// @ts-check
// What the form of a link that exists says before it is saved, and that it
// overwrites nothing that somebody changed meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, check_access, check_width, eventually, sign_in, start_service,
         visitor } from './harness.mjs';
import { shared } from './shared.mjs';

const pages = (/** @type {number[]} */ ...weights) => weights.map((weight, i) => ({
  label: 'AB'[i], weight, destination_url: `https://shop.example/${'ab'[i]}`,
}));

test('a link that is changed elsewhere', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  const name = page.getByLabel('Name');
  const save = () => page.getByRole('button', { name: 'Save changes' }).click();
  const warning = page.getByRole('alert').getByText('was changed elsewhere');
  try {
    const { id } = await call(service, 'POST', '/links',
                              { name: 'Spring', variants: pages(50, 50) });
    const stored = () => call(service, 'GET', `/links/${id}`);
    await sign_in(page, service, `/links/${id}/edit`);

    // Nobody changed it: it is saved without a question.
    await name.fill('Summer');
    await save();
    await page.getByRole('heading', { name: 'Summer' }).waitFor();

    // Another tab changes what this one has open.
    await page.getByRole('link', { name: 'Edit' }).click();
    await name.fill('Mine');
    const other = await me.context.newPage();
    await other.goto(`${service.root}/app/links/${id}/edit`);
    await other.getByLabel('Name').fill('Theirs');
    await other.getByLabel('Share in %').first().fill('70');
    await other.getByLabel('Share in %').last().fill('30');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByRole('heading', { name: 'Theirs' }).waitFor();
    await other.close();
    /** @type {string[]} */
    const changes = [];
    page.on('request', (x) => { if (x.method() !== 'GET') changes.push(x.url()); });
    await save();
    await warning.waitFor();
    await check_access(page, 'the question about a newer version');
    assert.equal(await name.inputValue(), 'Mine');
    assert.equal((await stored()).name, 'Theirs');
    // Asking again does not make it so.
    const asked = page.waitForResponse((x) => x.url().endsWith(id));
    await save();
    await asked;
    await page.getByRole('button', { name: 'Save changes' }).waitFor();
    await warning.waitFor();
    assert.equal((await stored()).name, 'Theirs');
    assert.deepEqual(changes, []);

    // The newer one, which then is saved without a question.
    await page.getByRole('button', { name: 'Load the newer version' }).click();
    await warning.waitFor({ state: 'detached' });
    assert.equal(await name.inputValue(), 'Theirs');
    assert.equal(await page.getByLabel('Share in %').first().inputValue(), '70');
    assert(await name.evaluate((x) => x === document.activeElement));
    await name.fill('Ours');
    await save();
    await page.getByRole('heading', { name: 'Ours' }).waitFor();
    assert.deepEqual((await stored()).variants.map(
      (/** @type {any} */ x) => x.weight), [70, 30]);

    // What I changed all the same, and theirs of the rest.
    await page.getByRole('link', { name: 'Edit' }).click();
    await name.fill('Mine again');
    await call(service, 'PUT', `/links/${id}/variants`, pages(10, 90));
    await save();
    await warning.waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await check_width(page, 'the question about a newer version');
    await page.getByRole('button', { name: 'Save my changes' }).click();
    await page.getByRole('heading', { name: 'Mine again' }).waitFor();
    const mine = await stored();
    assert.equal(mine.name, 'Mine again');
    assert.deepEqual(mine.variants.map((/** @type {any} */ x) => x.weight), [10, 90]);

    // What was typed before a change elsewhere is found again: it is told at once.
    await page.getByRole('link', { name: 'Edit' }).click();
    await name.fill('Late');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Mine again' }).waitFor();
    await call(service, 'PUT', `/links/${id}`, { name: 'Early' });
    await page.getByRole('link', { name: 'Edit' }).click();
    await warning.waitFor();
    assert.equal(await name.inputValue(), 'Late');
    await page.getByRole('button', { name: 'Load the newer version' }).click();
    assert.equal(await name.inputValue(), 'Early');
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});

test('a save that fails half-way', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service, { expected: /status of 503/ });
  const { page } = me;
  try {
    const { id } = await call(service, 'POST', '/links',
                              { name: 'Spring', variants: pages(50, 50) });
    await sign_in(page, service, `/links/${id}/edit`);
    await page.getByLabel('Name').fill('Summer');
    await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Destination')
      .fill('https://shop.example/new');
    await page.route('**/variants', (route) => route.fulfill({
      status: 503, json: { detail: 'Service temporarily unavailable.' },
    }), { times: 1 });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Nothing was lost: send it again').waitFor();
    await eventually(() => call(service, 'GET', `/links/${id}`),
                     (x) => x.name === 'Summer');
    // Its own first half is nothing that was changed elsewhere.
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Summer' }).waitFor();
    const { variants } = await call(service, 'GET', `/links/${id}`);
    assert.equal(variants[1].destination_url, 'https://shop.example/new');
    // Other pages begin anew, which is told.
    await page.getByText('Counted since').waitFor();
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});

test('what a change does to the search for a winner', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service);
  const { page } = me;
  const shares = page.getByText('Changed shares do not start the search');
  const anew = page.getByText('the search for a winner starts again');
  const one = page.getByRole('group', { name: 'Variant 1' });
  const two = page.getByRole('group', { name: 'Variant 2' });
  const number = async () => [await shares.count(), await anew.count()];
  try {
    const { id } = await call(service, 'POST', '/links',
                              { name: 'Spring', variants: pages(50, 50) });
    await sign_in(page, service, `/links/${id}/edit`);
    await page.getByLabel('Name').fill('Summer');
    assert.deepEqual(await number(), [0, 0]);
    await one.getByLabel('Share in %').fill('60');
    await two.getByLabel('Share in %').fill('40');
    await shares.waitFor();
    assert.deepEqual(await number(), [1, 0]);
    await one.getByLabel('Destination').fill('https://shop.example/other');
    await anew.waitFor();
    assert.deepEqual(await number(), [0, 1]);
    await one.getByLabel('Destination').fill('https://shop.example/a');
    await shares.waitFor();
    assert.deepEqual(await number(), [1, 0]);
    await one.getByLabel('Share in %').fill('50');
    await two.getByLabel('Share in %').fill('50');
    await shares.waitFor({ state: 'detached' });
    assert.deepEqual(await number(), [0, 0]);
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
