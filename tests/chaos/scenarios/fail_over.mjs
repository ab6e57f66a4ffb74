// The machine of the primary dies: patroni promotes the replica, and the nodes go
// on with it. Nothing that was acknowledged is missing there.
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../cluster.mjs';

export const needs = 'postgresql';

export async function fault(cluster) {
  await until('a replica that is up to date', () => cluster.is_replicated());
  await sleep(1000);
  const old = await cluster.primary();
  const begin = Date.now();
  cluster.kill_database(old);
  const now = await until('another primary', async () => {
    const found = await cluster.primary();
    return found !== old && found;
  }, 90);
  const promoted = (Date.now() - begin) / 1000;
  await until('the API works',
              async () => (await cluster.api('GET', '/links')).status === 200);
  const works = (Date.now() - begin) / 1000;
  await sleep(2000);
  await cluster.start(old);
  await until('the old primary follows', () => cluster.is_replicated(), 90);
  return { note: `${old} died, ${now} was promoted after `
           + `${promoted.toFixed(1)} s, the API worked after `
           + `${works.toFixed(1)} s` };
}
