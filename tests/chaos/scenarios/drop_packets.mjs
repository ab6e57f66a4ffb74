// What nodes and PostgreSQL send each other is lost for a while, without a closed
// connection: redirects go on, the API answers 503 in reasonable time, and all
// works again afterwards.
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../cluster.mjs';

export const needs = 'postgresql';

export async function fault(cluster, { short }) {
  const seconds = short ? 8 : 30;
  await sleep(1000);
  await cluster.gate('drop');
  const begin = Date.now();
  const { status } = await cluster.api('GET', '/links', undefined,
                                       { base: cluster.nodes[0].url });
  const took = (Date.now() - begin) / 1000;
  if (status !== 503) throw new Error(`the API answers ${status}, not 503`);
  await sleep(Math.max(0, begin + seconds * 1000 - Date.now()));
  await cluster.gate('pass');
  const back = Date.now();
  await until('the API works',
              async () => (await cluster.api('GET', '/links')).status === 200);
  await sleep(2000);
  return { note: `for ${seconds} s; the API's 503 took ${took.toFixed(1)} s, `
           + `its return ${((Date.now() - back) / 1000 - 2).toFixed(1)} s` };
}
