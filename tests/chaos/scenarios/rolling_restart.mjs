// Both nodes are restarted, one after the other, behind haproxy. No visit fails.
import { setTimeout as sleep } from 'node:timers/promises';

export async function fault(cluster, { short }) {
  const rounds = short ? 1 : 3;
  for (let i = 0; i < rounds; ++i) {
    const before = cluster.nodes.map(x => cluster.pid(x.name));
    await sleep(1000);
    await cluster.restart();
    for (const [j, node] of cluster.nodes.entries())
      if (cluster.pid(node.name) === before[j])
        throw new Error(`${node.name} was not restarted`);
  }
  await sleep(1000);
  return { note: `${rounds} times` };
}
