// Turns the built dashboard into a C++ file:
//   node script/generate-dashboard.mjs <directory> <out.cpp>
// The types are in http/dashboard_data.hpp.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { asset, source } from './embed.mjs';

const [directory, out] = process.argv.slice(2);
if (!out) throw new Error('usage: generate-dashboard.mjs <directory> <out.cpp>');
const page = readFileSync(`${directory}/index.html`, 'utf8');
// Without these the service could not tell the page its addresses.
for (const name of ['turnout-api', 'turnout-short', 'turnout-auth'])
  if (!page.includes(`<meta name="${name}" content="`))
    throw new Error(`index.html has no meta element ${name}`);
const assets = readdirSync(`${directory}/assets`).sort()
  .map(x => asset(`/assets/${x}`, readFileSync(`${directory}/assets/${x}`, 'utf8')));
writeFileSync(out, source('script/generate-dashboard.mjs', 'http/dashboard_data.hpp',
                          'dashboard_data', assets, { page }));
