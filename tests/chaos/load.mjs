// Visitors and an owner at work, who remember what was acknowledged; and the
// comparison with what the service tells afterwards.
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from './cluster.mjs';
import { new_agent, send } from './http.mjs';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 '
  + 'Firefox/128.0';

export const variants = (...urls) => urls.map((url, i) => ({
  label: 'ABCDE'[i], destination_url: url,
  weight: i === 0 ? 100 - 50 * (urls.length - 1) : 50 }));

export class Load {
  /// @param rate visits per second
  /// @param conversions whether some are reported, each of which has its node
  ///   drain its journal first
  constructor(cluster, { rate, connections = 16, links = 4, referrer = '',
                         conversions = true } = {}) {
    Object.assign(this, { cluster, rate, connections, conversions });
    this.headers = { 'User-Agent': browser,
                     ...(referrer && { Referer: referrer }) };
    this.link_count = links;
    this.links = [];
    this.longest_visit = 0;
    this.longest_call = 0;
    this.refused = new Map();
    this.acknowledged_calls = 0;
    this.refused_calls = 0;
    this.wrong = [];
    this.agent = new_agent(connections);
  }

  async start() {
    this.retries_before = await this.cluster.haproxy_retries();
    this.links_before
      = (await this.cluster.expect(200, 'GET', '/links?per_page=1')).total;
    for (let i = 0; i < this.link_count; ++i) {
      const link = await this.cluster.expect(201, 'POST', '/links', {
        name: 'name 0',
        variants: variants('https://a.example/', 'https://b.example/') });
      this.links.push({ ...link, acknowledged: 0, cut_off: 0, conversions: 0 });
      // Each node knows it: this is what must go on without a store.
      for (const node of this.cluster.nodes)
        await until('the link on every node', async () =>
          (await send(`${node.url}/${link.slug}`, { method: 'HEAD' })).status
            === 302);
    }
    this.created = this.link_count;
    this.running = true;
    this.tasks = [];
    for (let i = 0; i < this.connections; ++i) this.tasks.push(this.visit(i));
    this.tasks.push(this.create(), this.rename());
    if (this.conversions) this.tasks.push(this.convert());
  }

  /// Ends the load after what is under way.
  async stop() {
    this.running = false;
    await Promise.all(this.tasks);
    this.agent.destroy();
  }

  // -- visitors ---------------------------------------------------------------

  async visit(number) {
    for (let i = number; this.running; ++i) {
      const begin = Date.now();
      await this.visit_once(this.links[i % this.links.length]);
      const took = Date.now() - begin;
      this.longest_visit = Math.max(this.longest_visit, took);
      const pause = 1000 * this.connections / this.rate - took;
      if (pause > 0) await sleep(pause * (0.5 + Math.random()));
    }
  }

  async visit_once(link) {
    try {
      const { status, headers } = await send(
        `${this.cluster.env.URL}/${link.slug}`,
        { agent: this.agent, headers: this.headers });
      if (status === 302) {
        ++link.acknowledged;
        if (!/^https:\/\/[ab]\.example\/$/.test(headers.location))
          this.wrong.push(`a redirect to ${headers.location}`);
        return;
      }
      this.refuse(String(status));
      // Of haproxy, not of a node: what came of it there is not known.
      if (status >= 502 && !headers['retry-after']) ++link.cut_off;
    } catch (error) {
      this.refuse(error.code ?? error.message);
      if (!error.unsent) ++link.cut_off;
    }
  }

  refuse(why) {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
  }

  // -- owner ------------------------------------------------------------------

  /// Calls the API again and again until the answer has one of the statuses.
  async insist(statuses, method, path, body, headers) {
    for (;;) {
      const begin = Date.now();
      try {
        const answer = await this.cluster.api(method, path, body, { headers });
        if (statuses.includes(answer.status)) {
          ++this.acknowledged_calls;
          return answer.json;
        }
        if (answer.status < 500 && answer.status !== 409) {
          this.wrong.push(
            `${method} ${path}: ${answer.status} ${answer.body}`);
          return null;
        }
      } catch {
        // Cut off: once more.
      } finally {
        this.longest_call = Math.max(this.longest_call, Date.now() - begin);
      }
      ++this.refused_calls;
      await sleep(200);
    }
  }

  /// Creates links; a retry must not make another.
  async create() {
    while (this.running) {
      const key = `chaos-${Date.now()}-${Math.random()}`;
      const link = await this.insist([201], 'POST', '/links', {
        name: key,
        variants: variants('https://a.example/', 'https://b.example/'),
      }, { 'Idempotency-Key': key });
      if (link) {
        ++this.created;
        this.last_created = link;
      }
      await sleep(100);
    }
  }

  /// Reports conversions; a retry must not count again.
  async convert() {
    for (let i = 0; this.running; ++i) {
      const link = this.links[i % this.links.length];
      const done = await this.insist([200, 201], 'POST', '/conversions',
                                     { link_id: link.id, event_id: `e-${i}` });
      if (done) ++link.conversions;
      await sleep(50);
    }
  }

  /// Renames a link; the last name must stay.
  async rename() {
    for (let i = 1; this.running; ++i) {
      const name = `name ${i}`;
      const done = await this.insist([200], 'PUT', `/links/${this.links[0].id}`,
                                     { name });
      if (done) this.links[0].name = name;
      await sleep(100);
    }
  }

  // -- afterwards -------------------------------------------------------------

  /// Waits until all is in the store, and compares.
  /// @param lost visits that the service told it lost
  /// @returns numbers for the table, and problems
  async compare(lost = 0) {
    const { cluster } = this;
    const problems = [...new Set(this.wrong)];
    await until('the nodes are ready', async () =>
      (await Promise.all(cluster.nodes.map(x => cluster.is_ready(x))))
        .every(x => x), 90);
    await until('the journals are empty', async () => {
      for (const node of cluster.nodes)
        if (await cluster.metric(node, 'turnout_journal_depth_events') > 0)
          return false;
      return true;
    }, 90);
    const retried = await cluster.haproxy_retries() - this.retries_before;
    const sum = { acknowledged: 0, cut_off: retried, recorded: 0 };
    for (const link of this.links) {
      const least = link.acknowledged - lost;
      const sums = await until('counts that agree', async () => {
        const found = await this.sums_of(link);
        return found.total >= least && found.total === found.listed && found;
      }, 20).catch(() => this.sums_of(link));
      if (sums.total !== sums.listed || sums.total !== sums.days)
        problems.push(`sums of ${link.slug} differ: ${JSON.stringify(sums)}`);
      if (sums.total < least)
        problems.push(`${least - sums.total} visits of ${link.slug} are lost`);
      if (sums.conversions !== link.conversions)
        problems.push(`${sums.conversions} conversions of ${link.slug} instead `
                      + `of ${link.conversions}`);
      sum.acknowledged += link.acknowledged;
      sum.cut_off += link.cut_off;
      sum.recorded += sums.total;
    }
    const surplus = sum.recorded + lost - sum.acknowledged;
    if (surplus < 0)
      problems.push(`${-surplus} acknowledged visits are missing`);
    if (surplus > sum.cut_off)
      problems.push(`${surplus} visits more than acknowledged, but only `
                    + `${sum.cut_off} were cut off`);
    const { total } = await cluster.expect(200, 'GET', '/links?per_page=1');
    if (total !== this.links_before + this.created)
      problems.push(`${total - this.links_before} links instead of `
                    + this.created);
    // The other node may learn of the last change a moment later.
    for (const { name: node, url } of cluster.nodes) {
      const read = async () => (await cluster.expect(
        200, 'GET', `/links/${this.links[0].id}`, undefined,
        { base: url })).name;
      await until('the last name', async () =>
        await read() === this.links[0].name, 5)
        .catch(async () => problems.push(`${node} says "${await read()}", not `
                                         + `"${this.links[0].name}"`));
    }
    const verify = await cluster.turnout(['verify']);
    if (verify.status !== 0)
      problems.push(`turnout verify: ${verify.out}${verify.err}`);
    const failed = [...this.refused.values()].reduce((x, y) => x + y, 0);
    return { ...sum, surplus, lost, failed, problems };
  }

  async sums_of(link) {
    const { cluster } = this;
    const analytics
      = await cluster.expect(200, 'GET', `/links/${link.id}/analytics`);
    const clicks
      = await cluster.expect(200, 'GET', `/links/${link.id}/clicks?per_page=1`);
    return {
      total: analytics.total_clicks, listed: clicks.total,
      days: analytics.daily_stats.reduce((x, y) => x + y.clicks, 0),
      conversions: analytics.total_conversions };
  }
}
