// @ts-check
// Starts the service, makes a typed client from the description that it serves,
// checks story.mjs against the types, then runs it:
//   node tests/client/run.mjs <turnout binary> <directory for what it makes>

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [binary, parent] = process.argv.slice(2);
if (!parent) {
  console.error('usage: run.mjs <turnout binary> <directory>');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, '..', '..', 'node_modules');
mkdirSync(parent, { recursive: true });
const dir = mkdtempSync(join(parent, 'run-'));

/**
 * Runs a tool of an npm package to its end.
 * @param {string} script
 * @param {string[]} args
 */
function tool(script, ...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath, [join(packages, script), ...args], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${script} failed\n${stdout}\n${stderr}`);
}

/**
 * Waits for the line "listening" and returns the addresses and the account of
 * the first start.
 * @param {import('node:child_process').ChildProcess} child
 */
async function ready(child) {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    const root = /listening public=(\S+)/.exec(text)?.[1];
    if (!root) continue;
    const email = /^ *e-mail *(\S+)/m.exec(text)?.[1] ?? 'admin@localhost';
    const password = /^ *password *(\S+)/m.exec(text)?.[1];
    if (!password) throw new Error(`no password in: ${text}`);
    return { root, email, password };
  }
  throw new Error('the service did not come up');
}

/** @param {string} description */
function generate_types(description) {
  writeFileSync(join(dir, 'openapi.json'), description);
  tool('openapi-typescript/bin/cli.js', join(dir, 'openapi.json'), '-o',
       join(dir, 'api.d.ts'), '--default-non-nullable=false');
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      typeRoots: [join(packages, '@types')],
      types: ['node'],
      paths: { 'turnout-api': [join(dir, 'api.d.ts')] },
    },
    files: [join(here, 'run.mjs'), join(here, 'story.mjs')],
  }));
  tool('typescript/bin/tsc', '--project', join(dir, 'tsconfig.json'));
}

// Not the settings of who runs the test.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('TURNOUT_')));
const child = spawn(
  binary,
  ['serve', '--data-dir', join(dir, 'data'), '--listen', '127.0.0.1:0',
   '--operator-listen', '127.0.0.1:0'],
  { env, stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(child, 'exit');
try {
  const { root, email, password } = await ready(child);
  const answer = await fetch(`${root}/api/v1/openapi.json`);
  generate_types(await answer.text());
  const { story } = await import('./story.mjs');
  await story({ root, email, password });
} catch (e) {
  console.error(e);
  process.exitCode = 1;
} finally {
  child.kill('SIGTERM');
  const [status] = await ended;
  if (status !== 0) {
    console.error(`the service exited with ${status}`);
    process.exitCode = 1;
  }
  rmSync(dir, { recursive: true, force: true });
}
