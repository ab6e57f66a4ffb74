// 50 parallel creates of one slug, over both nodes: one 201, 49 times 409.
import { variants } from '../load.mjs';

export async function check(cluster) {
  const slug = `slug-${Date.now()}`;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) =>
    cluster.api('POST', '/links', {
      name: `try ${i}`, slug,
      variants: variants('https://a.example/', 'https://b.example/'),
    }, { base: cluster.nodes[i % cluster.nodes.length].url })));
  const count = status => answers.filter(x => x.status === status).length;
  if (count(201) !== 1 || count(409) !== 49)
    throw new Error(`statuses: ${answers.map(x => x.status)}`);
  return '1 of 50 creates of one slug was made, 49 answered 409';
}
