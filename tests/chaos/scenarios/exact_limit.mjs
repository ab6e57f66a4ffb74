// A limit of 100 requests in an hour, and 400 parallel ones over both nodes:
// exactly 100 pass.
import { setTimeout as sleep } from 'node:timers/promises';

import { new_agent } from '../http.mjs';

export async function check(cluster) {
  // Not across the end of the hour, when the next 100 may pass.
  const left = 3600 - Date.now() / 1000 % 3600;
  if (left < 60) await sleep((left + 1) * 1000);
  const email = `limit-${Date.now()}@localhost`;
  await cluster.turnout_ok(['user', 'add', '--email', email,
                            '--password-stdin'], 'a long password\n');
  await cluster.turnout_ok(['user', 'rate-limit', email, '100']);
  const key = await cluster.turnout_ok(
    ['key', 'create', '--email', email, '--name', 'limit']);
  // The nodes learn of the key within a second; a wrong key costs nothing.
  await sleep(2000);
  const agents = cluster.nodes.map(() => new_agent(50));
  const answers = await Promise.all(Array.from({ length: 400 }, (_, i) => {
    const at = i % cluster.nodes.length;
    return cluster.api('GET', '/links', undefined, {
      base: cluster.nodes[at].url, key, agent: agents[at] });
  }));
  for (const agent of agents) agent.destroy();
  const count = status => answers.filter(x => x.status === status).length;
  if (count(200) !== 100 || count(429) !== 300)
    throw new Error(`${count(200)} passed, ${count(429)} did not, of 400: `
                    + new Set(answers.map(x => x.status)));
  return '100 of 400 parallel requests passed';
}
