// A node is killed (SIGKILL) and started again, several times. All visits that it
// answered are recorded once. haproxy sends what it cut off to the other node.
import { setTimeout as sleep } from 'node:timers/promises';

export async function fault(cluster, { short }) {
  const rounds = short ? 2 : 5;
  for (let i = 0; i < rounds; ++i) {
    const { name } = cluster.nodes[i % cluster.nodes.length];
    await sleep(1000 + Math.random() * 1000);
    cluster.signal(name, 'SIGKILL');
    await sleep(1000);
    await cluster.start(name);
  }
  return { note: `${rounds} kills` };
}
