// Runs scenarios against a cluster and prints a table of what came of them:
//   node run.mjs [--short] [--binary B] [--storage S] [--dir D] [--rate N]
//                [scenario...]
// Exit code 0 when all promises were kept. docs/cluster.md tells more.
import { chmodSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Cluster } from './cluster.mjs';
import { Load } from './load.mjs';

// In this order; each leaves the cluster as it found it.
const names = [
  'empty_database', 'one_slug', 'one_idempotency_key', 'exact_limit',
  'visibility', 'pixels_over_nodes', 'rolling_restart', 'kill_node',
  'freeze_node', 'full_journal',
  'kill_backends', 'stop_database', 'drop_packets', 'fail_over',
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    binary: { type: 'string' },
    storage: { type: 'string', default: 'postgresql' },
    dir: { type: 'string' },
    rate: { type: 'string', default: '300' },
  },
});
const unknown = positionals.filter(x => !names.includes(x));
if (unknown.length > 0) {
  console.error(`chaos: no scenario ${unknown}; there are ${names.join(', ')}`);
  process.exit(2);
}

function new_directory() {
  const parent = mkdtempSync(join(tmpdir(), 'turnout-chaos-'));
  // PostgreSQL does not run as root, so that others must be able to pass.
  chmodSync(parent, 0o711);
  return join(parent, 'cluster');
}

const dir = options.dir ?? new_directory();
const cluster = new Cluster(dir);

async function run(scenario) {
  if (scenario.check)
    return { note: await scenario.check(cluster, options), problems: [] };
  const load = new Load(cluster, { rate: Number(options.rate),
                                   ...scenario.load });
  await load.start();
  let result;
  try {
    result = await scenario.fault(cluster, { ...options, load }) ?? {};
  } finally {
    await load.stop();
  }
  const found = await load.compare(result.lost);
  if (!scenario.some_visits_fail && found.failed > 0)
    found.problems.push(`${found.failed} visits failed: `
      + [...load.refused].map(([why, n]) => `${n} ${why}`).join(', '));
  return { note: result.note, load, ...found };
}

// -- the table ----------------------------------------------------------------

const columns = [
  ['scenario', -20], ['visits', 7], ['failed', 6], ['cut off', 7],
  ['recorded', 8], ['API calls', 9], ['slowest', 8], ['kept', 4],
];

function line(cells) {
  return columns.map(([, width], i) => width < 0
    ? String(cells[i]).padEnd(-width) : String(cells[i]).padStart(width))
    .join('  ');
}

function row(name, { load, acknowledged, failed, cut_off, recorded, problems }) {
  const kept = problems.length === 0 ? 'yes' : 'NO';
  if (!load) return line([name, '', '', '', '', '', '', kept]);
  return line([name, acknowledged, failed, cut_off, recorded,
               load.acknowledged_calls,
               `${(load.longest_visit / 1000).toFixed(1)} s`, kept]);
}

// -- the run ------------------------------------------------------------------

let failures = 0;
let stopping = false;

async function end(status) {
  if (stopping) return;
  stopping = true;
  try {
    if (existsSync(join(dir, 'env')))
      await cluster.script(status === 0 ? 'remove' : 'stop');
  } catch (error) {
    console.error(`chaos: ${error.message}`);
  }
  if (status !== 0) console.error(`chaos: logs are in ${join(dir, 'log')}`);
  process.exit(status);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => end(130));
// Whatever hangs, it ends.
setTimeout(() => {
  console.error('chaos: takes too long, giving up');
  end(1);
}, (options.short ? 9 : 30) * 60_000).unref();

try {
  await cluster.create(options);
  console.log(line(columns.map(([title]) => title)));
  for (const name of positionals.length > 0 ? positionals : names) {
    const scenario = await import(`./scenarios/${name}.mjs`);
    if (scenario.needs && scenario.needs !== options.storage) continue;
    if (options.short && scenario.long && positionals.length === 0) continue;
    let result;
    try {
      result = await run(scenario);
    } catch (error) {
      result = { problems: [error.stack] };
    }
    console.log(row(name, result));
    if (result.note) console.log(`    ${result.note}`);
    for (const problem of result.problems) console.log(`    ! ${problem}`);
    if (result.problems.length > 0) ++failures;
  }
} catch (error) {
  console.error(`chaos: ${error.message}`);
  ++failures;
}
await end(failures > 0 ? 1 : 0);
