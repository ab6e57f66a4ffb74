// PostgreSQL, primary and replica, is away for a while. Redirects go on, the API
// answers 503, and what was visited comes into the store afterwards.
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../cluster.mjs';

export const needs = 'postgresql';

export async function fault(cluster, { short }) {
  const seconds = short ? 8 : 60;
  await sleep(1000);
  await cluster.stop('pg1', 'pg2');
  const end = Date.now() + seconds * 1000;
  for (const node of cluster.nodes)
    await until(`${node.name} is not ready`,
                async () => !await cluster.is_ready(node), 10);
  const { status } = await cluster.api('GET', '/links');
  if (status !== 503) throw new Error(`the API answers ${status}, not 503`);
  await sleep(Math.max(0, end - Date.now()));
  await cluster.start('pg1', 'pg2');
  await until('the API works',
              async () => (await cluster.api('GET', '/links')).status === 200);
  await sleep(2000);
  return { note: `away for ${seconds} s` };
}
