// @ts-check
// What the form of a link says, and that it loses nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, sign_in, start_service, visit, visitor } from './harness.mjs';
import { shared } from './shared.mjs';

/** @typedef {import('playwright-core').Page} Page */

/**
 * The message of a field is told with it.
 * @param {import('playwright-core').Locator} field
 * @param {RegExp} text
 */
async function says(field, text) {
  const page = field.page();
  await page.waitForFunction((x) => x?.getAttribute('aria-invalid') === 'true',
                             await field.elementHandle());
  const ids = (await field.getAttribute('aria-describedby') ?? '').split(' ');
  const texts = await Promise.all(ids.map(
    (id) => page.locator(`[id="${id}"]`).textContent()));
  assert.match(texts.join(' '), text);
  assert(await field.evaluate((x) => x === document.activeElement),
         'the field that is wrong has the focus');
}

test('the form of a link', async () => {
  const service = await start_service(shared.binary);
  const me = await visitor(shared.browser, service, {
    expected: /status of (409|422)|ERR_INTERNET_DISCONNECTED/,
  });
  const { page } = me;
  const submit = () => page.getByRole('button', { name: 'Create link' }).click();
  const one = page.getByRole('group', { name: 'Variant 1' });
  const two = page.getByRole('group', { name: 'Variant 2' });
  try {
    await call(service, 'POST', '/links', {
      name: 'Taken', slug: 'taken', variants: [
        { label: 'A', destination_url: 'https://shop.example/a', weight: 50 },
        { label: 'B', destination_url: 'https://shop.example/b', weight: 50 }],
    });
    await sign_in(page, service, '/links/new');

    // All that is wrong is told at once, each beside its field.
    await submit();
    await says(page.getByLabel('Name'), /Give the link a name/);
    assert.equal(await page.getByText('Enter the web address of this page').count(), 2);
    await page.getByLabel('Name').fill('Summer');
    await page.getByText('Give the link a name').waitFor({ state: 'detached' });
    await submit();
    await says(one.getByLabel('Destination'), /Enter the web address of this page/);
    await one.getByLabel('Destination').fill('javascript:alert(1)');
    await submit();
    await says(one.getByLabel('Destination'), /must begin with https/);
    await one.getByLabel('Destination').fill('shop.example/a');
    await one.getByRole('button', { name: 'Put https:// before it' }).click();
    assert.equal(await one.getByLabel('Destination').inputValue(),
                 'https://shop.example/a');
    await two.getByLabel('Destination').fill('https://shop.example/b');
    await two.getByLabel('Label').fill('A');
    await submit();
    await says(two.getByLabel('Label'), /used more than once/);
    await two.getByLabel('Label').fill('B');
    await one.getByLabel('Share in %').fill('half');
    await submit();
    await says(one.getByLabel('Share in %'), /A whole number/);
    await one.getByLabel('Share in %').fill('40');
    await submit();
    await page.getByRole('alert').getByText('Adds up to 90 %: 10 missing').waitFor();
    assert.equal(await page.getByText(/sum to|add up to/).count(), 0);
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await page.getByRole('button', { name: 'Split evenly' }).click();
    const weights = await page.getByLabel('Share in %').evaluateAll(
      (all) => all.map((x) => /** @type {HTMLInputElement} */ (x).value));
    assert.deepEqual(weights, ['34', '33', '33']);
    await page.getByRole('button', { name: 'Remove variant C' }).click();
    await page.getByText('Adds up to 100 %').waitFor();
    await page.getByLabel('Not before so many clicks').fill('9');
    await submit();
    await says(page.getByLabel('Not before so many clicks'), /at least 10/);
    await page.getByLabel('Not before so many clicks').fill('10');

    // What only the service can refuse is told beside its field too.
    await one.getByLabel('Destination').fill('https://me@shop.example/a');
    await submit();
    await says(one.getByLabel('Destination'), /Must/);
    await one.getByLabel('Destination').fill('https://shop.example/a');

    // The short address is checked while it is typed.
    const slug = page.getByLabel('Short address');
    await slug.fill('taken');
    await page.getByText("Short address 'taken' is already taken").waitFor();
    await slug.fill('api');
    await page.getByText("Short address 'api' is reserved").waitFor();
    await slug.fill('x');
    await page.getByText('It must be 3 to 32 characters long').waitFor();
    for (const [text, odd] of [['ab c', 'a space'], ['straße', 'ß'], ['a/b?c', '/'],
                               ['..', '.']]) {
      await slug.fill(text ?? '');
      await page.getByText(/^Only the letters A to Z/).getByText(odd ?? '').waitFor();
      assert.equal(await page.getByText('Checking…').count(), 0);
    }
    await submit();
    await says(slug, /Only the letters A to Z/);
    await slug.fill('taken');
    await submit();
    await says(slug, /Short address 'taken' is already taken/);
    await slug.fill('summer');
    await page.getByText('It is free').waitFor();

    // What was typed outlives a lost connection, a reload, another page.
    await me.context.setOffline(true);
    await submit();
    await page.getByText('Nothing was lost: send it again').waitFor();
    await me.context.setOffline(false);
    await page.reload();
    await page.getByText('What you typed before is still here').waitFor();
    assert.equal(await slug.inputValue(), 'summer');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();
    await page.getByRole('link', { name: 'New link' }).click();
    assert.equal(await two.getByLabel('Destination').inputValue(),
                 'https://shop.example/b');

    // The answer is lost, not the request: sending again makes no second link.
    await page.route('**/public/links', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort('internetdisconnected');
    }, { times: 1 });
    await submit();
    await page.getByText('Nothing was lost: send it again').waitFor();
    await submit();
    await page.getByRole('heading', { name: 'Your link is live' }).waitFor();
    assert.equal((await call(service, 'GET', '/links')).total, 2);

    // By country: the rules follow the labels, whichever come and go.
    const id = page.url().match(/links\/([0-9a-f-]{36})/)?.[1] ?? '';
    await page.getByRole('link', { name: 'Edit' }).click();
    const advice = page.getByText('Let them differ in one thing');
    await advice.waitFor();
    await page.getByText('By country').click();
    await advice.waitFor({ state: 'detached' });
    await page.getByText('the search for a winner starts again').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').getByText('Add at least one country').waitFor();
    await page.getByRole('button', { name: 'Add a country' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await says(page.getByLabel('Visitors from'), /Choose a country/);
    await page.getByLabel('Visitors from').selectOption({ label: 'Germany' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Who sees which page' }).waitFor();
    const seen = async (/** @type {string} */ country) =>
      (await visit(service, 'summer', 1, { 'CF-IPCountry': country })).to;
    assert.deepEqual([await seen('DE'), await seen('FR')],
                     ['https://shop.example/b', 'https://shop.example/a']);
    await page.getByRole('link', { name: 'Edit' }).click();
    await one.getByLabel('Label').fill('World');
    await two.getByLabel('Label').fill('Germany');
    await two.getByLabel('Destination').fill('https://shop.example/de');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Who sees which page' }).waitFor();
    assert.deepEqual([await seen('DE'), await seen('FR')],
                     ['https://shop.example/de', 'https://shop.example/a']);
    assert.deepEqual((await call(service, 'GET', `/links/${id}`)).geo_rules,
                     { DE: 'Germany', default: 'World' });

    // Pages for countries do not compete. Who promotes one with a program is told
    // so, with a way back.
    const link = await call(service, 'GET', `/links/${id}`);
    assert.equal(await page.getByRole('button', { name: 'Promote' }).count(), 0);
    await call(service, 'POST', `/links/${id}/promote-winner`,
               { variant_id: link.variants[1].id });
    assert.equal(await seen('FR'), 'https://shop.example/de');
    await page.getByText(/Everybody is sent to Germany, whatever/).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText(/Everybody is sent to Germany, whatever/).waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Send by country again' }).click();
    await page.getByText(/Everybody is sent to/).waitFor({ state: 'detached' });
    assert.deepEqual([await seen('DE'), await seen('FR')],
                     ['https://shop.example/de', 'https://shop.example/a']);

    // The form has the same way back, for when it is saved.
    await call(service, 'POST', `/links/${id}/promote-winner`,
               { variant_id: link.variants[1].id });
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Send by country again when I save' })
      .click();
    await page.getByText(/Everybody is sent to/).waitFor({ state: 'detached' });
    assert.equal(await seen('FR'), 'https://shop.example/de');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Who sees which page' }).waitFor();
    assert.deepEqual([await seen('DE'), await seen('FR')],
                     ['https://shop.example/de', 'https://shop.example/a']);

    // The call of a server works as it is copied.
    await page.getByRole('button', { name: 'Server', exact: true }).click();
    const sample = await page.getByRole('region', { name: /^Server that reports/ })
      .textContent() ?? '';
    const sold = await fetch(/curl (\S+)/.exec(sample)?.[1] ?? '', {
      method: 'POST', body: /-d '(.*)'/.exec(sample)?.[1] ?? '',
      headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    });
    assert.equal(sold.status, 201);

    // Every country that can be chosen is one that the service takes.
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Visitors from').waitFor();
    const codes = await page.getByLabel('Visitors from').locator('option')
      .evaluateAll((all) => all.map(
        (x) => /** @type {HTMLOptionElement} */ (x).value).filter(Boolean));
    assert.equal(codes.length, 249);
    await call(service, 'PUT', `/links/${id}`, {
      geo_rules: { ...Object.fromEntries(codes.map((x) => [x, 'World'])),
                   default: 'World' },
    });
    me.check();
  } finally {
    await me.end();
    await service.end();
  }
});
