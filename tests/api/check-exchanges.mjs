// Compares what the black-box tests received with the description of the API:
//   node tests/api/check-exchanges.mjs <openapi.yaml> <directory>
// The directory has one directory for each run, named after the process that
// started the tests (ctest, which starts this script too). Fails when nothing
// was recorded. The format is that of tests/api/harness/recorder.cpp.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv from 'ajv/dist/2020.js';
import { load } from 'js-yaml';

const api_root = '/api/v1';

// Headers that every answer below base_url has.
const api_headers = [
  'access-control-allow-origin', 'access-control-expose-headers',
  'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset',
];

// What the public listener serves for people; not part of the interface.
const pages = /^\/(?:$|robots\.txt$|favicon\.ico$|(?:docs|app|assets)(?:\/|$))/;

const [description, root] = process.argv.slice(2);
if (!root) {
  console.error('usage: check-exchanges.mjs <openapi.yaml> <directory>');
  process.exit(2);
}

// -- the description ----------------------------------------------------------

const doc = JSON.parse(JSON.stringify(load(readFileSync(description, 'utf8'))));

const ajv = new Ajv.default({
  allErrors: false, allowUnionTypes: true, strict: true,
  // Schemas of a part of an "allOf" or "anyOf" name no type.
  strictTypes: false, strictRequired: false,
});
addFormats.default(ajv);
const here = '#/components/schemas/';
const localized = (schema) =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"${here}`, '"api:'));
for (const [name, schema] of Object.entries(doc.components.schemas))
  ajv.addSchema(localized(schema), `api:${name}`);

const validators = new Map();
function validator(schema) {
  if (!validators.has(schema))
    validators.set(schema, ajv.compile(localized(schema)));
  return validators.get(schema);
}

/// Returns what a schema says against a value, or nothing.
function complaint(schema, value) {
  const valid = validator(schema);
  if (valid(value)) return '';
  const x = valid.errors[0];
  const extra = x.params.additionalProperty
    ? ` "${x.params.additionalProperty}"` : '';
  return `${x.instancePath || 'the value'} ${x.message}${extra}`;
}

function resolve(x) {
  while (x?.$ref)
    x = x.$ref.slice(2).split('/').reduce((y, name) => y[name], doc);
  return x;
}

const methods = ['get', 'head', 'post', 'put', 'delete'];

const templates = Object.entries(doc.paths).map(([path, item]) => ({
  path,
  item,
  // The rest of the listener is not below the base address.
  address: (item.servers ? '' : api_root) + path,
  methods: methods.filter((x) => item[x]).map((x) => x.toUpperCase()),
}));
for (const x of templates) {
  const pattern = x.address.replace(/[.]/g, '\\.')
    .replace(/\{[^}]*\}/g, '[^/]+');
  x.regex = new RegExp(`^${pattern}${x.path === '/{slug}' ? '/?' : ''}$`);
  x.placeholders = (x.path.match(/\{/g) ?? []).length;
}
// A path that is spelled out is meant before one with a placeholder.
templates.sort((x, y) =>
  x.placeholders - y.placeholders || y.path.length - x.path.length);

/// What the listener keeps apart: "api", "auth" or "", the short links.
const area_of = (path) => /^\/(api|auth)(?:\/|$)/.exec(path)?.[1] ?? '';

function find_template(path) {
  return templates.find((x) =>
    x.regex.test(path) && area_of(x.address) === area_of(path));
}

// -- one exchange -------------------------------------------------------------

const seen = new Map();
const numbers = { api: 0, public: 0, pages: 0, bodies: 0, requests: 0 };

class mismatch extends Error {}

function expect(condition, text) {
  if (!condition) throw new mismatch(text);
}

function header(x, name) {
  const values = x.headers.filter((y) => y[0] === name).map((y) => y[1]);
  // Cookies are the only header that may come more than once.
  expect(values.length < 2 || name === 'set-cookie',
         `header ${name} comes ${values.length} times`);
  return values[0];
}

/// Reads a header or parameter as its schema wants it.
function typed(schema, text) {
  const x = schema?.$ref ? resolve(schema) : schema;
  const is_number = x?.type === 'integer' || typeof x?.const === 'number';
  return is_number && /^-?\d+$/.test(text) ? Number(text) : text;
}

function check_headers(x, documented) {
  for (const [name, reference] of Object.entries(documented ?? {})) {
    const { required, schema } = resolve(reference);
    const value = header(x, name.toLowerCase());
    expect(value !== undefined || !required, `header ${name} is missing`);
    if (value !== undefined) {
      const problem = complaint(schema, typed(schema, value));
      expect(!problem, `header ${name}: ${problem}`);
    }
  }
}

function check_body(x, content) {
  if (!content || x.method === 'HEAD' || x.status === 204 || x.status === 304) {
    expect(x.body_size === 0, `a body of ${x.body_size} bytes`);
    return;
  }
  const type = (header(x, 'content-type') ?? '').split(';')[0];
  expect(content[type], `Content-Type ${type} is not described`);
  const { schema } = content[type];
  if (!schema || x.body === undefined) return;
  const problem = complaint(
    schema, type === 'application/json' ? JSON.parse(x.body) : x.body);
  expect(!problem, `body: ${problem}: ${x.body.slice(0, 300)}`);
  ++numbers.bodies;
}

/// What was accepted has to be what the description allows.
function check_request(x, operation, item) {
  const parameters
    = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  // A second question mark belongs to the first name; it would be dropped.
  const query = new URLSearchParams(`&${/\?([^#]*)/.exec(x.path)?.[1] ?? ''}`);
  for (const y of parameters.filter((y) => y.in === 'query')) {
    const value = query.get(y.name);
    expect(value !== null || !y.required, `accepted without ${y.name}`);
    if (value === null) continue;
    const problem = complaint(y.schema, typed(y.schema, value));
    expect(!problem, `accepted ${y.name}=${value}: ${problem}`);
  }
  if (!operation.requestBody || x.request_body === undefined) return;
  const { schema } = operation.requestBody.content['application/json'];
  const problem = complaint(schema, JSON.parse(x.request_body));
  expect(!problem, `accepted a body: ${problem}: ${x.request_body}`);
  ++numbers.requests;
}

const content_of = (name) =>
  ({ 'application/json': { schema: { $ref: here + name } } });
const error_content = content_of('Error');
const sign_in_error_content = content_of('SignInError');

function same_methods(text, expected) {
  return (text ?? '').split(', ').sort().join() === [...expected].sort().join();
}

/// The answer to a path or method that is not described.
function check_refusal(x, template, is_api) {
  if (x.status === 431 || x.status === 503) return;
  if (!template) {
    expect(x.status === 404 || (!is_api && x.status === 405),
           'the path is not described');
    if (is_api) {
      check_body(x, error_content);
      expect(JSON.parse(x.body).detail === 'Not found',
             `an unknown path is ${x.body}`);
    }
    return;
  }
  // A short link knows GET and HEAD; so does what is beside it.
  const is_sign_in = template.path.startsWith('/auth/');
  const allowed = is_api || is_sign_in || template.methods.includes('HEAD')
    ? template.methods : [...template.methods, 'HEAD'];
  if ((is_api || is_sign_in) && x.method === 'OPTIONS') {
    expect(x.status === 204, 'a preflight is 204');
    expect(same_methods(header(x, 'access-control-allow-methods'), allowed),
           'the preflight names other methods');
    expect(is_sign_in || header(x, 'access-control-allow-headers')
           === 'X-API-Key, Authorization, Content-Type, Idempotency-Key',
           'the preflight names other headers');
    expect(x.body_size === 0, 'a preflight has no body');
    return;
  }
  expect(x.status === 405, 'the method is not described');
  expect(same_methods(header(x, 'allow'), allowed), 'Allow names others');
  check_body(x, is_sign_in ? sign_in_error_content : error_content);
}

function check(x) {
  const path = x.path.replace(/[?#].*$/s, '');
  const is_api = area_of(path) === 'api';
  const template = find_template(path);
  if (!is_api && pages.test(path)) {
    ++numbers.pages;
    return;
  }
  ++numbers[is_api ? 'api' : 'public'];
  if (is_api)
    for (const name of api_headers)
      expect(header(x, name) !== undefined, `header ${name} is missing`);
  // On the public listener HEAD is GET without the body.
  const method = !is_api && x.method === 'HEAD' && template
    && !template.methods.includes('HEAD') ? 'GET' : x.method;
  const operation = template?.item[method.toLowerCase()];
  if (!operation) return check_refusal(x, template, is_api);
  const name = operation.operationId;
  const response = resolve(operation.responses[x.status]);
  expect(response, `${name} does not describe the status ${x.status}`);
  check_headers(x, response.headers);
  check_body(x, response.content);
  if (x.status < 300) check_request(x, operation, template.item);
  seen.set(name, (seen.get(name) ?? new Set()).add(x.status));
}

// -- main ---------------------------------------------------------------------

const own = join(root, String(process.ppid));
const files = existsSync(own) ? readdirSync(own) : [];
const problems = new Map();
let total = 0;
for (const file of files) {
  for (const line of readFileSync(join(own, file), 'utf8').split('\n')) {
    // The last line of a test that was killed may be cut.
    if (!line.endsWith('}')) continue;
    const x = JSON.parse(line);
    ++total;
    try {
      check(x);
    } catch (e) {
      if (!(e instanceof mismatch)) throw e;
      const text = `${x.method} ${x.path.slice(0, 120)} ${x.status}: `
        + `${e.message} (${x.test})`;
      // One of a kind of each test.
      const kind = e.message.split(':').slice(0, 2).join() + x.status + x.test;
      if (!problems.has(kind)) problems.set(kind, text);
    }
  }
}
// Those of runs that are over, too.
for (const run of existsSync(root) ? readdirSync(root) : [])
  if (run === String(process.ppid) || !existsSync(`/proc/${run}`))
    rmSync(join(root, run), { recursive: true, force: true });

const all = templates.flatMap((x) => methods.map((y) => x.item[y]))
  .filter((x) => x).map((x) => x.operationId);
const never = all.filter((x) => !seen.has(x));
let statuses = 0;
for (const x of seen.values()) statuses += x.size;
console.log(`${total} exchanges of ${files.length} tests checked: `
  + `${numbers.api} of the API, ${numbers.public} of short links, `
  + `${numbers.pages} of pages left out; ${numbers.bodies} bodies and `
  + `${numbers.requests} accepted requests validated; ${seen.size} of `
  + `${all.length} operations seen with ${statuses} statuses`);
if (never.length) console.log(`not seen: ${never.join(', ')}`);
if (total === 0) {
  console.error('nothing was recorded');
  process.exit(1);
}
for (const text of [...problems.values()].slice(0, 50)) console.error(text);
if (problems.size) {
  console.error(`${problems.size} mismatches`);
  process.exit(1);
}
