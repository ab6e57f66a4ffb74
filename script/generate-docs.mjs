// Turns the description of the API and the page that shows it into a C++ file:
//   node script/generate-docs.mjs <openapi.yaml> <out.cpp> <file>...
// Each file gets the address /docs/<its name>. The types are in
// http/docs_data.hpp.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'js-yaml';
import { asset, source } from './embed.mjs';

// Addresses in the document: the service puts its own in their places.
const base_url = 'http://127.0.0.1:8080/api/v1';
const public_root = 'http://127.0.0.1:8080';

function fail(text) {
  console.error(`generate-docs: ${text}`);
  process.exit(1);
}

/// Returns the JSON text of the document with marks for addresses.
function description(path) {
  // Copied, because aliases of YAML are shared objects.
  const doc = JSON.parse(JSON.stringify(load(readFileSync(path, 'utf8'))));
  const mark = (servers, from, to) => {
    for (const x of servers) {
      if (x.url !== from) fail(`${path}: a server has not the address ${from}`);
      x.url = to;
    }
  };
  mark(doc.servers, base_url, '@base_url@');
  for (const [address, item] of Object.entries(doc.paths))
    if (item.servers)
      mark(item.servers, public_root,
           address.startsWith('/auth/') ? '@public_root@' : '@short_base@');
  return JSON.stringify(doc);
}

const [openapi, out, ...files] = process.argv.slice(2);
if (!files.length)
  fail('usage: generate-docs.mjs <openapi.yaml> <out.cpp> <file>...');
let page = '';
const assets = [];
for (const file of files) {
  // The maps stay out of the binary.
  const text = readFileSync(file, 'utf8').replace(/\n\/[/*]# sourceMappingURL=.*/, '');
  if (basename(file) === 'index.html')
    page = text;
  else
    assets.push(asset(`/docs/${basename(file)}`, text));
}
if (!page) fail('there is no index.html');
writeFileSync(out, source('script/generate-docs.mjs', 'http/docs_data.hpp', 'docs_data', assets,
                          { page, description: description(openapi) }));
