// A cluster of script/cluster, as scenarios use it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { send, send_json } from './http.mjs';

const script = join(dirname(fileURLToPath(import.meta.url)),
                    '..', '..', 'script', 'cluster');

/// Runs a program and returns { status, out, err }.
function run(program, args, { env = {}, input } = {}) {
  return new Promise(resolve => {
    const child = execFile(
      program, args,
      { env: { ...process.env, ...env }, maxBuffer: 1 << 26 },
      (error, out, err) =>
        resolve({ status: error ? error.code ?? 1 : 0, out, err }));
    child.stdin.end(input);
  });
}

/// Waits until `done` returns something true, and returns that.
export async function until(what, done, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const result = await done();
    if (result) return result;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(100);
  }
}

export class Cluster {
  constructor(dir) {
    this.dir = dir;
  }

  /// Starts a new cluster in a directory.
  async create({ binary, storage }) {
    const options = ['--storage', storage];
    if (binary) options.push('--binary', binary);
    if (storage === 'postgresql') options.push('--gate');
    await this.script('start', options);
    this.load();
  }

  /// Reads addresses and secrets.
  load() {
    const text = readFileSync(join(this.dir, 'env'), 'utf8');
    this.env = {};
    for (const [, name, value] of text.matchAll(/^CLUSTER_(\w+)='(.*)'$/gm))
      this.env[name] = value;
    this.nodes = [];
    for (let i = 1; i <= Number(this.env.NODES); ++i)
      this.nodes.push({ name: `node${i}`, url: this.env[`NODE${i}`],
                        operator: this.env[`OPERATOR${i}`] });
  }

  /// Runs a command of script/cluster; `settings` are variables for members.
  async script(command, args = [], settings = {}) {
    const result = await run(script, [command, '--dir', this.dir, ...args],
                             { env: settings });
    if (result.status !== 0)
      throw new Error(`cluster ${command} ${args.join(' ')}: ${result.err}`);
    return result.out;
  }

  start(...members) {
    return this.script('start', members);
  }

  stop(...members) {
    return this.script('stop', members);
  }

  /// Restarts the nodes one after the other.
  restart(settings) {
    return this.script('restart', [], settings);
  }

  /// Runs a command of turnout on the store.
  turnout(args, input) {
    return run(script, ['run', '--dir', this.dir, ...args], { input });
  }

  async turnout_ok(args, input) {
    const { status, out, err } = await this.turnout(args, input);
    if (status !== 0) throw new Error(`turnout ${args.join(' ')}: ${err}`);
    return out.trim();
  }

  log_of(member) {
    return readFileSync(join(this.dir, 'log', member), 'utf8');
  }

  pid(member) {
    return Number(readFileSync(join(this.dir, 'run', `${member}.pid`), 'utf8')
      .split(' ')[0]);
  }

  signal(member, signal) {
    process.kill(this.pid(member), signal);
  }

  /// Kills patroni and its database, as if their machine died.
  kill_database(member) {
    const file = join(this.dir, member, 'data', 'postmaster.pid');
    const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
    this.signal(member, 'SIGKILL');
    process.kill(postmaster, 'SIGKILL');
  }

  /// Calls the API: through haproxy, or a node's with `base`.
  api(method, path, body,
      { base = this.env.URL, key = this.env.KEY, headers = {}, ...options } = {}) {
    return send_json(`${base}/api/v1/public${path}`, {
      method, body, headers: { 'X-API-Key': key, ...headers }, ...options });
  }

  /// Calls the API and expects a status.
  async expect(status, method, path, body, options) {
    const answer = await this.api(method, path, body, options);
    if (answer.status !== status)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.json;
  }

  /// Signs in and returns the header of a session.
  async session(base = this.env.URL) {
    const { json } = await send_json(
      `${base}/auth/v1/token?grant_type=password`,
      { method: 'POST', body: { email: this.env.EMAIL,
                                password: this.env.PASSWORD } });
    return { Authorization: `Bearer ${json.access_token}` };
  }

  /// Returns a metric without labels of a node.
  async metric(node, name) {
    const { body } = await send(`${node.operator}/metrics`);
    const found = body.match(new RegExp(`^${name} (\\S+)$`, 'm'));
    if (!found) throw new Error(`no metric ${name}`);
    return Number(found[1]);
  }

  async is_ready(node) {
    try {
      return (await send(`${node.operator}/readyz`)).status === 200;
    } catch {
      return false;
    }
  }

  /// Runs SQL on the primary, past everything that disturbs the nodes.
  async sql(query) {
    const { status, out, err } = await run(
      'psql', ['-XqAt', this.env.SUPERUSER, '-c', query]);
    if (status !== 0) throw new Error(`${query}: ${err}`);
    return out.trim();
  }

  /// Returns pg1 or pg2.
  async primary() {
    for (const i of [1, 2]) {
      try {
        const url = `http://127.0.0.1:${this.env[`PATRONI${i}_PORT`]}/primary`;
        if ((await send(url, { timeout: 2000 })).status === 200)
          return `pg${i}`;
      } catch {
        // That one is away.
      }
    }
    return null;
  }

  /// Whether a replica has all that the primary acknowledges.
  async is_replicated() {
    for (const i of [1, 2]) {
      try {
        const url = `http://127.0.0.1:${this.env[`PATRONI${i}_PORT`]}/sync`;
        if ((await send(url, { timeout: 2000 })).status === 200) return true;
      } catch {
        // That one is away.
      }
    }
    return false;
  }

  gate(what) {
    return send(`http://127.0.0.1:${this.env.GATE_PORT}/${what}`,
                { method: 'POST' });
  }

  /// Returns how often haproxy sent a request of a visitor again.
  haproxy_retries() {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.env.HAPROXY_PORT), '127.0.0.1');
      let text = '';
      socket.on('data', x => text += x);
      socket.on('error', reject);
      socket.on('end', () => {
        const [head, ...rows] = text.trim().split('\n').map(x => x.split(','));
        const row = rows.find(x => x[0] === 'nodes' && x[1] === 'BACKEND');
        resolve(Number(row[head.indexOf('wretr')]));
      });
      socket.write('show stat\n');
    });
  }
}
