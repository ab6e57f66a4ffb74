// A node stands still (SIGSTOP) for a while and goes on. haproxy notices and sends
// its visitors to the other node; those that wait for the node may be cut off.
import { setTimeout as sleep } from 'node:timers/promises';

export const some_visits_fail = true;

export async function fault(cluster, { short }) {
  const seconds = short ? 6 : 20;
  await sleep(1000);
  cluster.signal('node1', 'SIGSTOP');
  await sleep(seconds * 1000);
  cluster.signal('node1', 'SIGCONT');
  await sleep(3000);
  return { note: `still for ${seconds} s` };
}
