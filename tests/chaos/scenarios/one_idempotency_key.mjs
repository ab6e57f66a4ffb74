// 20 parallel retries with one Idempotency-Key, over both nodes: one link, and
// each answer is its or says that the first is under way.
import { setTimeout as sleep } from 'node:timers/promises';

import { variants } from '../load.mjs';

export async function check(cluster) {
  const name = `once ${Date.now()}`;
  const body = { name, variants: variants('https://a.example/',
                                          'https://b.example/') };
  const total = async () =>
    (await cluster.expect(200, 'GET', '/links?per_page=1')).total;
  const before = await total();
  // As a client does it: 409 with Retry-After is tried again.
  const create = async base => {
    for (;;) {
      const answer = await cluster.api('POST', '/links', body, {
        base, headers: { 'Idempotency-Key': name } });
      if (answer.status !== 409) return answer;
      if (answer.headers['retry-after'] !== '1')
        throw new Error(`409 without Retry-After: ${answer.body}`);
      await sleep(1000);
    }
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) =>
    create(cluster.nodes[i % cluster.nodes.length].url)));
  const bodies = new Set(answers.map(x => `${x.status} ${x.body}`));
  if (bodies.size !== 1 || answers[0].status !== 201)
    throw new Error(`answers: ${[...bodies].join('\n')}`);
  const made = await total() - before;
  if (made !== 1) throw new Error(`${made} links`);
  return '20 retries made 1 link and got one answer';
}
