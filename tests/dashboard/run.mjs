// @ts-check
// Tests of the dashboard with a browser:
//   node tests/dashboard/run.mjs <turnout binary> [name of a test...]
// CHROMIUM names another browser than /usr/bin/chromium.

import { after, before } from 'node:test';
import { launch } from './harness.mjs';
import { shared } from './shared.mjs';

const [binary, ...names] = process.argv.slice(2);
if (!binary) {
  console.error('usage: run.mjs <turnout binary> [name of a test...]');
  process.exit(2);
}

before(async () => {
  shared.binary = binary;
  shared.browser = await launch();
});
after(() => shared.browser.close());

for (const name of ['story', 'live', 'phone', 'form', 'list', 'edit', 'range', 'hostile',
                    'session', 'outage', 'access', 'files'])
  if (names.length === 0 || names.includes(name))
    await import(`./${name}_test.mjs`);
