// What one node changes holds in the other within a second: 99 of 100 deletes,
// promotions, new destinations and revoked keys.
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../cluster.mjs';
import { send } from '../http.mjs';
import { variants } from '../load.mjs';

export async function check(cluster, { short }) {
  const [here, there] = cluster.nodes.map(x => x.url);
  const make = async () => {
    const link = await cluster.expect(201, 'POST', '/links', {
      name: 'x', variants: [
        { label: 'A', destination_url: 'https://a.example/', weight: 100 },
        { label: 'B', destination_url: 'https://b.example/', weight: 0 }],
    }, { base: here });
    await until('the link in the other node', async () =>
      await location(link) === 'https://a.example/');
    return link;
  };
  const location = async link => {
    const { status, headers } = await send(`${there}/${link.slug}`);
    return status === 302 ? headers.location : status;
  };
  // Milliseconds from the answer until the other node knows, too.
  const watch = async (change, holds) => {
    await change();
    const begin = performance.now();
    while (!await holds()) {
      if (performance.now() - begin > 20_000)
        throw new Error('not seen by the other node within 20 s');
      await sleep(5);
    }
    return performance.now() - begin;
  };
  const options = { base: here };
  const session = await cluster.session(here);
  const kinds = {
    'delete': async () => {
      const link = await make();
      return watch(
        () => cluster.expect(204, 'DELETE', `/links/${link.id}`, undefined,
                             options),
        async () => await location(link) === 404);
    },
    'promote': async () => {
      const link = await make();
      return watch(
        () => cluster.expect(200, 'POST', `/links/${link.id}/promote-winner`,
                             { variant_id: link.variants[1].id }, options),
        async () => await location(link) === 'https://b.example/');
    },
    'variants': async () => {
      const link = await make();
      return watch(
        () => cluster.expect(200, 'PUT', `/links/${link.id}/variants`,
                             variants('https://c.example/', 'https://c.example/'),
                             options),
        async () => await location(link) === 'https://c.example/');
    },
    'revoke': async () => {
      // The session of one node is good in the other.
      const made = await cluster.expect(
        201, 'POST', '/keys?name=short', undefined,
        { base: there, headers: session });
      const status = async () => (await cluster.api(
        'GET', '/links', undefined, { base: there, key: made.key })).status;
      await until('the key works', async () => await status() === 200);
      // And a key that one node made can be revoked in the other.
      const gone = async () => (await cluster.api(
        'DELETE', `/keys/${made.id}`, undefined,
        { base: here, headers: session })).status;
      return watch(() => until('the key is revoked',
                               async () => await gone() === 204),
                   async () => await status() === 401);
    },
  };
  const notes = [];
  for (const [kind, measure] of Object.entries(kinds)) {
    const times = [];
    for (let i = 0; i < (short ? 10 : 100); ++i) times.push(await measure());
    times.sort((x, y) => x - y);
    const at = part => times[Math.ceil(part * times.length) - 1];
    notes.push(`${kind} p50 ${at(0.5).toFixed(0)} ms, p99 `
               + `${at(0.99).toFixed(0)} ms`);
    // A short run shares its machine with other tests.
    if (!short && at(0.99) > 1000)
      throw new Error(`too late: ${notes.join('; ')}`);
  }
  return notes.join('; ');
}
